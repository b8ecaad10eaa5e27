//! Decision regions.

use gristmill::plot::{Figure, Grid};
use gristmill::{Error, Matrix, datasets};

use super::{check, count};

#[test]
fn a_grid_has_the_middles_of_its_cells() -> gristmill::Result<()> {
    let grid = Grid::new((0.0, 4.0), (10.0, 12.0), 2, 2)?;
    assert_eq!(grid.points()?, Matrix::from_rows(&[[1.0, 10.5], [3.0, 10.5], [1.0, 11.5], [3.0, 11.5]])?);
    let iris = datasets::iris()?;
    let points = Grid::around(&iris.x, [2, 3], 10, 10)?.points()?;
    assert!(points.get(0, 0) > 0.6 && points.get(99, 0) < 7.4);
    Ok(())
}

#[test]
fn equal_cells_become_one_rectangle() -> gristmill::Result<()> {
    let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 300, 200)?;
    let halves: Vec<u32> = (0..300 * 200).map(|cell| u32::from(cell % 300 >= 100)).collect();
    let svg = Figure::new().regions(&grid, &halves)?.to_svg();
    check(&svg);
    assert_eq!(count(&svg, "z\" fill=\"#"), 2); // a path a class
    assert_eq!(count(&svg, "H"), 2 * 2 + 1); // a rectangle a path; one H is in the font's name
    Ok(())
}

/// The rectangles of every class, added up, cover each cell once with its own class.
#[test]
fn rectangles_cover_every_cell_with_its_class() -> gristmill::Result<()> {
    let (columns, rows) = (13, 11);
    let codes: Vec<u32> = (0..columns * rows).map(|cell| (cell * cell / 7 % 3) as u32).collect();
    let grid = Grid::new((0.0, columns as f64), (0.0, rows as f64), columns, rows)?;
    let svg = Figure::new().regions(&grid, &codes)?.to_svg();
    check(&svg);
    let frame = svg.split("<svg width=\"").nth(1).expect("a plane");
    let size: Vec<f64> = frame.split('"').step_by(2).take(2).filter_map(|number| number.parse().ok()).collect();
    let cell = |value: &str, length: f64, count: usize| {
        let place = value.parse::<f64>().expect("a number") / length * count as f64;
        assert!((place - place.round()).abs() < 0.01, "{place}");
        place.round() as usize
    };
    let mut painted = vec![None; columns * rows];
    let paths = svg.split("<path d=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
    for (class, path) in paths.enumerate() {
        for rectangle in path.split('z').filter(|text| !text.is_empty()) {
            let numbers: Vec<&str> = rectangle.split(['M', ' ', 'H', 'V']).filter(|text| !text.is_empty()).collect();
            let (left, right) = (cell(numbers[0], size[0], columns), cell(numbers[2], size[0], columns));
            let (top, bottom) = (cell(numbers[1], size[1], rows), cell(numbers[3], size[1], rows));
            for (row, column) in (top..bottom).flat_map(|row| (left..right).map(move |column| (row, column))) {
                let old = painted[(rows - 1 - row) * columns + column].replace(class as u32);
                assert_eq!(old, None, "row {row}, column {column} twice");
            }
        }
    }
    assert_eq!(painted, codes.iter().map(|code| Some(*code)).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn grids_and_codes_that_do_not_fit_are_refused() -> gristmill::Result<()> {
    let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 3, 2)?;
    assert!(matches!(Figure::new().regions(&grid, &[0; 5]), Err(Error::Shape { .. })));
    assert!(matches!(Grid::new((0.0, 1.0), (0.0, 1.0), 0, 2), Err(Error::Param { .. })));
    assert!(matches!(Grid::new((0.0, 1.0), (0.0, 1.0), usize::MAX, 2), Err(Error::Param { .. })));
    assert!(matches!(Grid::new((0.0, f64::NAN), (0.0, 1.0), 2, 2), Err(Error::Param { name: "x", .. })));
    assert!(matches!(Grid::new((0.0, 1.0), (1.0, 0.0), 2, 2), Err(Error::Param { name: "y", .. })));
    assert!(matches!(Grid::around(&Matrix::zeros(3, 1)?, [0, 1], 2, 2), Err(Error::Shape { .. })));
    Grid::around(&Matrix::zeros(3, 2)?, [0, 1], 2, 2)?; // all rows equal: a grid around them
    Ok(())
}
