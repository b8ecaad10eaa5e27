//! Principal components as a lecture draws them and where they fail; atoms, parts and components of digits; iris on a map.
//!
//! `cargo run --release --example representation_views [FILE.svg]`

use gristmill::estimator::{InputColumns, Model, PictureInput, PictureRows};
use gristmill::plot::{Figure, Panels, points};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "representation_views.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the pictures, and tells the numbers behind them.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let mut panels = Panels::new(3)?.title("What representations see");
    let mut told = components(&mut panels)?;
    told.extend(failures(&mut panels)?);
    told.extend(models(&mut panels)?);
    panels.save(path)?;
    Ok(told)
}

/// Rows with arrows along their components, the same in the space of these, and what the first alone gives back.
fn components(panels: &mut Panels) -> gristmill::Result<Vec<String>> {
    let cloud = tilted(200)?;
    let model = Pca::default().fit(&cloud)?;
    let z = model.transform(&cloud)?;
    let one = Pca::default().n_components(1).fit(&cloud)?;
    let back = one.inverse_transform(&one.transform(&cloud)?)?;
    let own = pictures(&model, &Dataset::new(cloud.clone(), Target::None)?)?;
    add(panels, own.into_iter().last().unwrap_or_default());
    let space = Figure::new().title("The same along the components").x_label("first").y_label("second").equal_axes();
    add(panels, space.scatter("", points(&z, [0, 1])?));
    let given = Figure::new().title("What the first gives back").equal_axes().scatter("rows", points(&cloud, [0, 1])?);
    add(panels, given.crosses("given back", points(&back, [0, 1])?));
    let share = 100.0 * model.explained_variance_ratio()[0];
    Ok(vec![format!("the first component has {share:.0} % of the variance of a tilted cloud")])
}

/// Several clusters, a curve, and classes apart along the narrow direction: the first component misses each.
fn failures(panels: &mut Panels) -> gristmill::Result<Vec<String>> {
    let bent = datasets::moons(300, 0.05, 0)?;
    let clusters = datasets::blobs(300, 2, 4, 3)?;
    let layered = layers(300)?;
    let titles = ["Several clusters", "A curve", "The informative direction is not the widest"];
    let mut told = vec![];
    for (data, title) in [&clusters, &bent, &layered].into_iter().zip(titles) {
        let model = Pca::default().n_components(1).fit(&data.x)?;
        let (mean, direction) = (model.mean(), model.components());
        let reach = 2.5 * model.explained_variance()[0].sqrt();
        let end = |side: f64| (mean[0] + side * reach * direction[(0, 0)], mean[1] + side * reach * direction[(0, 1)]);
        let figure = Figure::new().title(title).equal_axes().scatter_classes(&data.x, [0, 1], data.labels()?)?;
        add(panels, figure.dashed("first component", [end(-1.0), end(1.0)]));
        let right = KNeighborsClassifier::new(5).fit(&model.transform(&data.x)?, data.labels()?)?;
        let score = right.score(&model.transform(&data.x)?, data.labels()?)?;
        told.push(format!("{title}: {:.0} % of rows are right by the first component alone", 100.0 * score));
    }
    Ok(told)
}

/// Pictures that models draw of themselves.
fn models(panels: &mut Panels) -> gristmill::Result<Vec<String>> {
    let digits = datasets::digits()?;
    let ksvd = KSvd::new(25).n_nonzero_coefs(5).max_iter(15).fit(&digits.x)?;
    let parts = Nmf::new(16).max_iter(100).fit(&digits.x)?;
    let principal = Pca::default().n_components(10).fit(&digits.x)?;
    for (own, title) in
        [(pictures(&ksvd, &digits)?, "Atoms of digits (K-SVD)"), (pictures(&parts, &digits)?, "Parts of digits")]
    {
        add(panels, own.into_iter().next().unwrap_or_default().title(title));
    }
    add(panels, pictures(&principal, &digits)?.into_iter().last().unwrap_or_default());
    let iris = datasets::iris()?;
    let map = SelfOrganizingMap::new(9, 6).fit(&iris.x)?;
    for figure in pictures(&map, &iris)? {
        add(panels, figure);
    }
    Ok(vec![
        format!("K-SVD leaves a mean square of {:.2} of digits", ksvd.objective().last().unwrap_or(&0.0)),
        format!("iris on a map of 54 units: {:.3} from a row to its unit", map.quantization_error(&iris.x)?),
    ])
}

/// What a model draws of itself on rows.
fn pictures(model: &dyn Model, data: &Dataset) -> gristmill::Result<Vec<Figure>> {
    let names: Vec<String> = match data.x.names() {
        Some(names) => names.to_vec(),
        None => (0..data.x.columns()).map(|column| format!("x{column}")).collect(),
    };
    let columns = InputColumns::named(&names);
    let rows = PictureRows { x: &data.x, target: &data.target, fitted: true, device: &Device::Cpu, plane: None };
    model.figures(&PictureInput { columns: &columns, target_name: None, rows: Some(rows) })
}

fn add(panels: &mut Panels, figure: Figure) {
    *panels = panels.clone().figure(figure);
}

/// Rows along a line, with some noise across it.
fn tilted(rows: usize) -> gristmill::Result<Matrix> {
    let noise = datasets::blobs(rows, 2, 1, 7)?.x;
    let values = (0..rows).flat_map(|row| {
        let (along, across) = (2.5 * noise.get(row, 0), 0.6 * noise.get(row, 1));
        [0.8 * along - 0.6 * across + 4.0, 0.6 * along + 0.8 * across + 1.0]
    });
    Matrix::from_vec(rows, 2, values.collect())
}

/// Two classes, one above the other, both wide.
fn layers(rows: usize) -> gristmill::Result<Dataset> {
    let noise = datasets::blobs(rows, 2, 1, 9)?.x;
    let codes: Vec<u32> = (0..rows as u32).map(|row| row % 2).collect();
    let values = (0..rows).flat_map(|row| [4.0 * noise.get(row, 0), 0.3 * noise.get(row, 1) + 2.0 * codes[row] as f32]);
    let x = Matrix::from_vec(rows, 2, values.collect())?;
    Dataset::new(x, Target::Classes(Labels::from(&codes[..])))
}
