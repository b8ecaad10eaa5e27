//! Pictures of trees of levels and of Shapley values.

use gristmill::plot::{self, NominalTreeFigure};
use gristmill::prelude::*;
use gristmill::tree::Id3Classifier;

use super::{check, count};

#[test]
fn a_tree_of_levels_shows_questions_levels_and_answers() -> gristmill::Result<()> {
    let days = datasets::play_tennis()?;
    let model = Id3Classifier::default().fit(&days.x, days.labels()?)?;
    let svg = NominalTreeFigure::new(&model, &days.levels).title("To play or not").to_svg();
    check(&svg);
    for word in ["outlook?", "humidity?", "wind?", ">Overcast<", ">Rain<", ">Sunny<", "tells 0.247 bits", "Yes (1.000)"]
    {
        assert!(svg.contains(word), "{word}");
    }
    // Eight boxes beside the page, and an arrow to each but the first.
    assert_eq!((count(&svg, "rx=\"5\""), count(&svg, "<polygon")), (8, 7));
    let codes = NominalTreeFigure::new(&model, &[]).to_svg();
    assert!(codes.contains(">2<") && !codes.contains("Sunny"));
    Ok(())
}

#[test]
fn a_wide_tree_of_levels_is_cut_off() -> gristmill::Result<()> {
    let rows = 900_usize;
    let x = Matrix::from_vec(rows, 2, (0..rows).flat_map(|row| [(row % 30) as f32, (row / 30) as f32]).collect())?;
    let y = Labels::from((0..rows).map(|row| (row * row / 7 % 3) as u32).collect::<Vec<u32>>().as_slice());
    let model = Id3Classifier::default().fit(&x, &y)?;
    let svg = NominalTreeFigure::new(&model, &[]).to_svg();
    check(&svg);
    assert_eq!(count(&svg, "rx=\"5\""), 31);
    assert!(svg.contains("…"));
    Ok(())
}

#[test]
fn a_summary_of_shapley_values_has_a_row_a_feature_the_largest_on_top() -> gristmill::Result<()> {
    let rows = 200_usize;
    let value = |row: usize, column: usize| if row == 3 { f32::NAN } else { ((row * (3 + column)) % 17) as f32 };
    let x = Matrix::from_vec(rows, 3, (0..rows * 3).map(|at| value(at / 3, at % 3)).collect())?;
    let x = x.with_names(["small", "large", "middle"])?;
    let sizes = [0.1, 5.0, 1.0];
    let values: Vec<f32> = (0..rows * 3).map(|at| sizes[at % 3] * ((at / 3 % 11) as f32 - 5.0)).collect();
    let values = Matrix::from_vec(rows, 3, values)?;
    let svg = plot::shapley_summary(&values, &x, 10)?.to_svg();
    check(&svg);
    let place = |name: &str| svg.find(&format!(">{name}<")).unwrap();
    assert!(place("large") < place("middle") && place("middle") < place("small"));
    assert_eq!(count(&svg, "<circle"), 600);
    assert!(svg.contains("high value") && svg.contains("missing"));
    let two = plot::shapley_summary(&values, &x, 2)?.to_svg();
    assert!(!two.contains(">small<") && count(&two, "<circle") == 400);
    assert!(plot::shapley_summary(&values, &x.select(&[0, 1])?, 2).is_err());
    assert!(plot::shapley_summary(&Matrix::zeros(4, 1)?, &Matrix::zeros(4, 1)?, 5)?.to_svg().contains("x0"));
    Ok(())
}
