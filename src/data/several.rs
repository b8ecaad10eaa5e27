//! Several files that are one table: those a pattern stands for, or a list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::dataset::Dataset;
use super::labels::Labels;
use super::missing::settle;
use super::options::{Missing, ReadOptions};
use super::target::Target;
use crate::array::{ColumnInfo, Exact, Matrix};
use crate::error::{Error, Result};

/// The files that a path stands for: itself, or those that match its last part, in which `*` is any text and `?` any
/// letter, in alphabetical order.
///
/// ```
/// use gristmill::data::matching_files;
/// assert_eq!(matching_files("data/iris.csv")?, [std::path::PathBuf::from("data/iris.csv")]);
/// assert!(matching_files("data/no-such-*.csv").is_err());
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn matching_files(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let path = path.as_ref();
    let pattern = path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains(['*', '?']));
    let Some(pattern) = pattern.filter(|_| !path.exists()) else { return Ok(vec![path.to_path_buf()]) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let failed = |why: String| Error::Io { path: path.display().to_string(), why };
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let mut found = vec![];
    for entry in entries.map_err(|why| failed(format!("its folder cannot be read: {why}")))? {
        let entry = entry.map_err(|why| failed(format!("its folder cannot be read: {why}")))?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| matches(pattern, name)) {
            found.push(folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name)));
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(failed("no file matches".to_string()));
    }
    Ok(found)
}

/// Whether a name is what a pattern stands for. A star that took too little takes one letter more.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut place, mut star) = (0, 0, None);
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[place] => (at, place) = (at + 1, place + 1),
            _ => {
                let Some((starred, taken)) = star else { return false };
                star = Some((starred, taken + 1));
                (at, place) = (starred + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

impl Dataset {
    /// Reads several files as one table, one below the other. They have the same columns, or the error names the file and
    /// the column. Each path may be a pattern ([`matching_files`]).
    ///
    /// ```
    /// use gristmill::data::{Dataset, ReadOptions};
    /// let (data, _) = Dataset::read_all(&["data/iris.csv", "data/iris.csv"], &ReadOptions::default().target("species"))?;
    /// assert_eq!((data.rows(), data.columns()), (300, 4));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn read_all<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<(Dataset, Vec<String>)> {
        let mut files = vec![];
        for path in paths {
            files.extend(matching_files(path)?);
        }
        if let [file] = &files[..] {
            return Dataset::read_file(file, options);
        }
        // What is missing is filled in by all the rows, not by those of one file.
        let fills = matches!(options.missing, Missing::Mean | Missing::Median);
        let mut each = options.clone();
        if fills {
            each.missing = Missing::Keep;
        }
        let (mut parts, mut notes) = (vec![], vec![]);
        for file in &files {
            let (data, more) = Dataset::read_file(file, &each)?;
            parts.push((file.display().to_string(), data));
            notes.extend(more);
        }
        let data = below_each_other(parts)?;
        let path = files.first().map_or_else(String::new, |file| file.display().to_string());
        Ok((if fills { settle(data, options.missing, &[], &path)? } else { data }, notes))
    }
}

fn wrong(file: &str, column: Option<String>, why: String) -> Error {
    Error::Data { path: file.to_string(), line: None, column, why }
}

/// One table of several with the same columns, each with the name of its file.
fn below_each_other(parts: Vec<(String, Dataset)>) -> Result<Dataset> {
    let mut rest = parts.iter();
    let Some((first_file, first)) = rest.next() else {
        return Err(Error::param("paths", "one file at least", "none"));
    };
    for (file, data) in rest {
        if data.sparse.is_some() || first.sparse.is_some() {
            let why = "one of several files is read sparse; read them dense (--dense)".to_string();
            return Err(wrong(file, None, why));
        }
        check_names(file, data, first_file, first)?;
    }
    let columns = first.x.columns();
    let rows = parts.iter().map(|(_, data)| data.rows()).sum();
    let mut values = Vec::with_capacity(rows * columns);
    parts.iter().for_each(|(_, data)| values.extend_from_slice(data.x.as_slice()));
    let (mut categories, mut exact) = (vec![], BTreeMap::new());
    for column in 0..columns {
        let texts = unite(&parts, column)?;
        if let Some(names) = &texts {
            recode(&parts, column, names, &mut values);
        } else if parts.iter().any(|(_, data)| data.x.exact().column(column).is_some()) {
            exact.insert(column, parts.iter().flat_map(|(_, data)| data.x.column_f64(column)).collect());
        }
        categories.push(texts);
    }
    let info = ColumnInfo::new(first.x.names().map(<[String]>::to_vec), categories);
    let x = Matrix::from_vec(rows, columns, values)?.with_column_info(info).with_exact(Exact::new(exact))?;
    let target = targets(&parts)?;
    Dataset::new(x, target)
}

/// Refuses other columns than those of the first file, by name.
fn check_names(file: &str, data: &Dataset, first_file: &str, first: &Dataset) -> Result<()> {
    let (own, known) = (data.x.names().unwrap_or_default(), first.x.names().unwrap_or_default());
    if data.x.columns() != first.x.columns() || own.len() != known.len() {
        let absent = known.iter().find(|name| !own.contains(name)).or(own.iter().find(|name| !known.contains(name)));
        let why = format!(
            "{} columns, and {first_file} has {}; the files of one table have the same",
            data.x.columns(),
            first.x.columns()
        );
        return Err(wrong(file, absent.cloned(), why));
    }
    match own.iter().zip(known).find(|(own, known)| own != known) {
        Some((own, known)) => {
            let why = format!("{first_file} has {known:?} in this place; the files of one table have the same columns");
            Err(wrong(file, Some(own.clone()), why))
        }
        None => Ok(()),
    }
}

/// The categories of a column in all files; nothing for numbers.
fn unite(parts: &[(String, Dataset)], column: usize) -> Result<Option<Vec<String>>> {
    let Some((text_file, _)) = parts.iter().find(|(_, data)| data.x.categories(column).is_some()) else {
        return Ok(None);
    };
    let mut names = vec![];
    for (file, data) in parts {
        match data.x.categories(column) {
            Some(own) => names.extend_from_slice(own),
            None if (0..data.rows()).all(|row| data.x.get(row, column).is_nan()) => {}
            None => {
                let name = data.x.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
                let why = format!("numbers, where {text_file} has text; name the column as categorical if it is");
                return Err(wrong(file, Some(name), why));
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(Some(names))
}

/// Writes the codes of the united categories over those of each file.
fn recode(parts: &[(String, Dataset)], column: usize, names: &[String], values: &mut [f32]) {
    let mut start = 0;
    for (_, data) in parts {
        let (rows, columns) = (data.rows(), data.x.columns());
        let own = data.x.categories(column).unwrap_or_default();
        let codes: Vec<f32> = own.iter().map(|name| names.partition_point(|known| known < name) as f32).collect();
        for row in 0..rows {
            let value = &mut values[(start + row) * columns + column];
            if !value.is_nan() {
                *value = codes[*value as usize];
            }
        }
        start += rows;
    }
}

/// The targets one below the other: numbers where all are numbers, else classes.
fn targets(parts: &[(String, Dataset)]) -> Result<Target> {
    if parts.iter().all(|(_, data)| matches!(data.target, Target::None)) {
        return Ok(Target::None);
    }
    if parts.iter().all(|(_, data)| data.target.values().is_ok()) {
        let matrices: Vec<&Matrix> = parts.iter().map(|(_, data)| data.target.values()).collect::<Result<_>>()?;
        let (first, columns) = (matrices[0], matrices[0].columns());
        let rows: usize = matrices.iter().map(|matrix| matrix.rows()).sum();
        let all: Vec<f64> = matrices
            .iter()
            .flat_map(|matrix| (0..matrix.rows() * columns).map(|at| matrix.get_f64(at / columns, at % columns)))
            .collect();
        return Ok(Target::from_numbers(
            Matrix::from_f64(rows, columns, &all)?.with_column_info(first.column_info().clone()),
        ));
    }
    let mut names = vec![];
    for (file, data) in parts {
        let labels = data.labels().map_err(|why| wrong(file, None, format!("the target: {why}")))?;
        names.extend((0..labels.len()).map(|row| labels.name(row).to_string()));
    }
    Ok(Target::Classes(Labels::from_names(&names)))
}
