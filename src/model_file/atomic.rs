//! Writing a file whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Writes a file so that, whatever happens meanwhile, its path leads to the old contents or to the new ones.
///
/// The bytes go to a temporary file in the same folder (`.gristmill-<process>-<number>.tmp`), which is synced and then
/// renamed. On an error the temporary file is removed and the old file is as it was. What a killed process left behind
/// is removed by the next write into the folder. The file keeps its permissions; a symbolic link is followed; a read-only
/// file, and whatever is not a regular file, is refused.
///
/// ```
/// let path = std::env::temp_dir().join("gristmill-write-atomically.txt");
/// gristmill::model_file::write_atomically(&path, b"whole")?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"whole");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// The same for bytes that a function writes piece by piece. When it fails, the old file stays.
pub fn write_atomically_with(path: impl AsRef<Path>, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    let path = path.as_ref();
    replace(path, write).map_err(|why| Error::Io { path: path.display().to_string(), why })
}

fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> std::result::Result<(), String> {
    let cannot = |what: &'static str| move |error: io::Error| format!("cannot be {what}: {error}");
    // A link stays a link: its target is what is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = match fs::metadata(&target) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(cannot("reached")(error)),
    };
    if old.as_ref().is_some_and(|metadata| !metadata.is_file()) || target.file_name().is_none() {
        return Err("is not a regular file; give the path of a file".to_string());
    }
    if old.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
        return Err("is read-only; make it writable or give another path".to_string());
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };

    remove_left_behind(folder);
    let (temporary, mut file) = Temporary::create(folder)
        .map_err(|error| format!("cannot be written, because no file can be made in its folder: {error}"))?;
    write(&mut file).map_err(cannot("written"))?;
    if let Some(old) = old {
        file.set_permissions(old.permissions()).map_err(cannot("given its permissions"))?;
    }
    file.sync_all().map_err(cannot("synced"))?;
    // Still open, and so locked, until it has its name.
    temporary.rename(&target).map_err(cannot("replaced"))?;
    drop(file);
    sync_folder(folder).map_err(|error| format!("is written, but its folder cannot be synced: {error}"))
}

/// Removes temporary files that nobody writes any more: their locks went with the processes that were killed.
fn remove_left_behind(folder: &Path) {
    let ours = |name: &str| name.starts_with(".gristmill-") && name.ends_with(".tmp");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(ours)) {
        let path = entry.path();
        if let Ok(file) = OpenOptions::new().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// A temporary file that is removed when it is dropped before it got its name.
struct Temporary {
    path: Option<PathBuf>,
}

impl Temporary {
    /// Creates a file that was not there before: a name left by a process that was killed is passed over.
    fn create(folder: &Path) -> io::Result<(Temporary, File)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".gristmill-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                // The lock says that it is being written; whoever removed it before that took it for left behind.
                Ok(file) => match file.try_lock() {
                    Err(TryLockError::WouldBlock) => continue,
                    _ if path.exists() => return Ok((Temporary { path: Some(path) }, file)),
                    _ => continue,
                },
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing more can be done here, and the error that led here is the one to report.
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes a rename last through a power cut.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    // A folder that may be written but not read cannot be opened, and some file systems cannot sync one.
    let unable = [ErrorKind::PermissionDenied, ErrorKind::InvalidInput, ErrorKind::Unsupported];
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if unable.contains(&error.kind()) => Ok(()),
        result => result,
    }
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
