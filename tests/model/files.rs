//! Saving and loading on a disk: a file is replaced whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gristmill::Error;
use gristmill::model_file::{Container, Persist, write_atomically, write_atomically_with};

use super::{SmallModel, reason, rich, small};

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gristmill-model-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_model_is_saved_and_loaded() {
    let folder = Folder::new("saved");
    let path = folder.path("model.gm");
    small().save(&path).unwrap();
    assert_eq!(SmallModel::load(&path).unwrap(), small());
    assert_eq!(fs::read(&path).unwrap(), small().to_bytes().unwrap());
    rich().save(&path).unwrap();
    assert_eq!(Container::load(&path).unwrap(), rich());
    let why = reason(SmallModel::load(&path));
    assert!(why.contains("model.gm") && why.contains("rich") && why.contains("small"), "{why}");
    assert_eq!(folder.names(), ["model.gm"]);
}

#[test]
fn loading_what_is_no_file_names_the_path() {
    let folder = Folder::new("absent");
    for path in [folder.path("none.gm"), folder.0.clone()] {
        match SmallModel::load(&path) {
            Err(Error::Io { path: named, .. }) => assert_eq!(Path::new(&named), path),
            other => panic!("{other:?}"),
        }
    }
    #[cfg(unix)]
    assert!(reason(SmallModel::load("/dev/zero")).contains("/dev/zero: is not a regular file"));
    fs::write(folder.path("empty.gm"), b"").unwrap();
    assert!(reason(SmallModel::load(folder.path("empty.gm"))).contains("cut off"));
}

#[test]
fn a_save_that_fails_names_the_path_and_leaves_the_old_file() {
    let folder = Folder::new("fails");
    let absent = folder.path("nowhere/model.gm");
    assert!(reason(small().save(&absent)).contains(&absent.display().to_string()));
    assert!(reason(small().save(&folder.0)).contains("not a regular file"));
    assert!(small().save("").is_err());

    let path = folder.path("model.gm");
    small().save(&path).unwrap();
    let old = fs::read(&path).unwrap();
    let writable = fs::metadata(&path).unwrap().permissions();
    let mut locked = writable.clone();
    locked.set_readonly(true);
    fs::set_permissions(&path, locked).unwrap();
    assert!(reason(rich().save(&path)).contains("model.gm: is read-only"));
    fs::set_permissions(&path, writable).unwrap();
    assert_eq!(fs::read(&path).unwrap(), old);
    assert_eq!(folder.names(), ["model.gm"]);
}

#[test]
fn a_write_that_stops_half_way_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("half");
    let path = folder.path("file");
    write_atomically(&path, b"old").unwrap();
    let half = |file: &mut fs::File| file.write_all(b"ne").and(Err(io::Error::other("the disk is full")));
    assert!(reason(write_atomically_with(&path, half)).contains("file: cannot be written: the disk is full"));
    let panicked = std::panic::catch_unwind(|| write_atomically_with(&path, |_| panic!("a fault of the writer")));
    assert!(panicked.is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["file"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_an_error_and_the_old_file_stays() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("locked");
    let path = folder.path("model.gm");
    small().save(&path).unwrap();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
    let saved = rich().save(&path);
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    // Root may write anyway; then the file is the new one, whole.
    match saved {
        Ok(()) => assert_eq!(Container::load(&path).unwrap(), rich()),
        Err(error) => {
            assert!(error.to_string().contains("model.gm: cannot be written"), "{error}");
            assert_eq!(SmallModel::load(&path).unwrap(), small());
        }
    }
    assert_eq!(folder.names(), ["model.gm"]);
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (path, link) = (folder.path("model.gm"), folder.path("link.gm"));
    small().save(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("model.gm", &link).unwrap();
    rich().save(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Container::load(&path).unwrap(), rich());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(reason(write_atomically("/dev/null", b"x")).contains("/dev/null: is not a regular file"));
}

#[test]
fn writers_at_the_same_time_do_not_meet() {
    let folder = Folder::new("writers");
    let path = folder.path("file");
    std::thread::scope(|scope| {
        for writer in 0..4u8 {
            let path = &path;
            scope.spawn(move || (0..20).for_each(|_| write_atomically(path, &vec![writer; 10_000]).unwrap()));
        }
    });
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() == 10_000 && bytes.iter().all(|byte| *byte == bytes[0]));
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn what_a_killed_save_left_behind_is_removed_by_the_next_and_what_is_being_written_stays() {
    let folder = Folder::new("left");
    fs::write(folder.path(".gristmill-4000000-7.tmp"), b"half a mo").unwrap();
    let writing = fs::File::create(folder.path(".gristmill-4000001-0.tmp")).unwrap();
    writing.lock().unwrap();
    fs::write(folder.path("mine.tmp"), b"not ours").unwrap();
    small().save(folder.path("model.gm")).unwrap();
    assert_eq!(folder.names(), [".gristmill-4000001-0.tmp", "mine.tmp", "model.gm"]);
}
