//! The small learners of a first lecture, and how one is chosen honestly.

use gristmill::datasets::notes;
use gristmill::lecture::{Memoriser, RandomCircles, ShapeClassifier};
use gristmill::prelude::*;
use gristmill::selection::iteration_curve;
use gristmill::theory::{binomial, vapnik};

use super::page::Page;

/// Test rows: many, as they cost nothing.
const NEW: usize = 2000;

pub fn show(page: &mut Page) -> Result<()> {
    page.section("A first lecture: 50 points, class 1 inside a rectangle; what each learner knows of new points");
    let (train, new) = (notes::rectangle(50, 0)?, notes::rectangle(NEW, 1)?);
    let (x, y) = (&train.x, train.labels()?);
    let errors = |predict: &dyn Fn(&Matrix) -> Result<Labels>| -> Result<Vec<String>> {
        let error = |data: &Dataset| -> Result<String> {
            Ok(format!("{:.1} %", 100.0 * (1.0 - metrics::accuracy(data.labels()?, &predict(&data.x)?)?)))
        };
        Ok(vec![error(&train)?, error(&new)?])
    };
    let mut rows = vec![];
    let mut add = |name: &str, found: Vec<String>| rows.push([vec![name.to_string()], found].concat());
    let memoriser = Memoriser::default().fit(x, y)?;
    add("Memoriser", errors(&|x| memoriser.predict(x))?);
    let circles = RandomCircles::default().fit(x, y)?;
    add("RandomCircles, the best of 100", errors(&|x| circles.predict(x))?);
    let rectangle = ShapeClassifier::default().max_iter(2000).n_init(8).fit(x, y)?;
    add("ShapeClassifier, 2000 gradient steps", errors(&|x| rectangle.predict(x))?);
    let neighbours = KNeighborsClassifier::new(4).fit(x, y)?;
    add("KNeighborsClassifier, k = 4", errors(&|x| neighbours.predict(x))?);
    page.table(&["learner", "error on fitted points", "on new points"], rows);
    let data = notes::rectangle(100, 4)?;
    let steps = Pipeline::new(ShapeClassifier::default().max_iter(3000));
    let curve = iteration_curve(&steps, &data, &Folds::shuffle(10, 0.8))?;
    page.fact(
        "number of steps",
        format!("ten random splits: least mean validation loss after {} of 3000", curve.best()),
    );
    let probability = binomial::delta(100, 0.01, 0.02)?;
    page.fact(
        "luck",
        format!("a model with 2 % errors shows 1 % or fewer on 100 rows with probability {probability:.3}"),
    );
    let gap = vapnik::gap(4, 1000, 0.05)?;
    page.fact(
        "a bound",
        format!(
            "rectangles (VC dimension 4) on 1000 rows: at most {gap:.3} above the training error, in 95 % of draws"
        ),
    );
    page.text(
        "At the shell: gristmill bound, gristmill select, gristmill curve, gristmill bias-variance, gristmill lectures",
    );
    Ok(())
}
