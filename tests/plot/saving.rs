//! Files.

use gristmill::Error;
use gristmill::plot::{Figure, Panels};

#[test]
fn a_picture_is_written_whole_and_replaced() -> gristmill::Result<()> {
    let folder = std::env::temp_dir().join(format!("gristmill-plot-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("picture.svg");
    let figure = Figure::new().title("First");
    figure.save(&path)?;
    assert_eq!(std::fs::read_to_string(&path).expect("the picture"), figure.to_svg());
    let panels = Panels::new(1)?.figure(Figure::new().title("Second"));
    panels.save(&path)?;
    assert_eq!(std::fs::read_to_string(&path).expect("the picture"), panels.to_svg());
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1);
    std::fs::remove_dir_all(&folder).expect("cleaning");
    Ok(())
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let path = std::env::temp_dir().join("gristmill-no-such-folder").join("picture.svg");
    let error = Figure::new().save(&path).expect_err("no folder");
    assert!(matches!(&error, Error::Io { path, .. } if path.contains("no-such-folder")), "{error}");
}
