//! Rows told in fewer numbers: components, sources, parts, atoms, a map.

use gristmill::prelude::*;

use super::page::Page;

pub fn show(page: &mut Page) -> Result<()> {
    page.section("Representations of digits, 64 numbers a row: what 16 numbers keep, and 5 neighbours on them");
    let digits = datasets::digits()?;
    let (train, test) = digits.split(0.7, 1)?;
    let total = mean_square(&train.x, &means(&train.x)?);
    let mut rows = vec![];
    let mut add = |name: &str, back: &Matrix, z: (&Matrix, &Matrix)| -> Result<()> {
        let kept = 100.0 * (1.0 - mean_square(&train.x, back) / total);
        let neighbours = KNeighborsClassifier::new(5).fit(z.0, train.labels()?)?;
        let right = 100.0 * neighbours.score(z.1, test.labels()?)?;
        rows.push(vec![name.to_string(), format!("{kept:.1} %"), format!("{right:.1} %")]);
        Ok(())
    };
    let pca = Pca::default().n_components(16).fit(&train.x)?;
    let (z, new) = (pca.transform(&train.x)?, pca.transform(&test.x)?);
    add("Pca", &pca.inverse_transform(&z)?, (&z, &new))?;
    let ica = FastIca::default().n_components(16).fit(&train.x)?;
    let (z, new) = (ica.transform(&train.x)?, ica.transform(&test.x)?);
    add("FastIca", &ica.inverse_transform(&z)?, (&z, &new))?;
    let nmf = Nmf::new(16).max_iter(100).fit(&train.x)?;
    let (z, new) = (nmf.transform(&train.x)?, nmf.transform(&test.x)?);
    add("Nmf", &nmf.inverse_transform(&z)?, (&z, &new))?;
    let ksvd = KSvd::new(64).n_nonzero_coefs(8).max_iter(10).fit(&train.x)?;
    let (z, new) = (ksvd.transform(&train.x)?, ksvd.transform(&test.x)?);
    add("KSvd, 8 of 64 atoms", &ksvd.inverse_transform(&z)?, (&z, &new))?;
    page.table(&["model", "of the variance", "test rows right"], rows);
    let iris = datasets::iris()?;
    let map = SelfOrganizingMap::new(9, 6).fit(&iris.x)?;
    page.fact(
        "a map of iris",
        format!(
            "54 units, {:.3} from a row to its unit, {:.1} % of rows between units that are not neighbours",
            map.quantization_error(&iris.x)?,
            100.0 * map.topographic_error(&iris.x)?
        ),
    );
    Ok(())
}

/// The mean of the columns in every row.
fn means(x: &Matrix) -> Result<Matrix> {
    let mean = |column: usize| x.column(column).iter().sum::<f32>() / x.rows() as f32;
    let means: Vec<f32> = (0..x.columns()).map(mean).collect();
    Matrix::from_vec(x.rows(), x.columns(), means.repeat(x.rows()))
}

fn mean_square(x: &Matrix, back: &Matrix) -> f64 {
    let squares = x.as_slice().iter().zip(back.as_slice()).map(|(a, b)| f64::from(a - b).powi(2));
    squares.sum::<f64>() / x.as_slice().len() as f64
}
