//! The picture of the vectors of tokens.

use super::corpus::code;
use super::model::NeuralLanguageModel;
use crate::array::Matrix;
use crate::decomposition::Pca;
use crate::error::{Error, Result};
use crate::estimator::Transform;
use crate::plot::Figure;
use crate::sequence::ngram::MARKS;

/// Tokens drawn where none are named: the picture has room for no more.
const MOST_DRAWN: usize = 80;

impl NeuralLanguageModel {
    /// The vectors of tokens in the plane of their first two principal components; without names those of the first 80 tokens of the
    /// vocabulary.
    pub fn vectors_plot(&self, tokens: &[&str]) -> Result<Figure> {
        let names: Vec<&str> = match tokens {
            [] => self.vocabulary().iter().take(MOST_DRAWN).map(String::as_str).collect(),
            named => named.to_vec(),
        };
        if names.len() < 3 {
            return Err(Error::param("tokens", "at least three to be drawn", names.len()));
        }
        let all = self.vectors()?;
        let mut values = vec![];
        for (place, name) in names.iter().enumerate() {
            let code = code(&self.params, &self.symbols, name, (0, place))? as usize;
            let number = code.checked_sub(MARKS.len()).ok_or_else(|| Error::Symbol {
                sequence: 0,
                position: place,
                symbol: name.to_string(),
                known: self.symbols.len(),
            })?;
            values.extend_from_slice(all.row(number));
        }
        let x = Matrix::from_vec(names.len(), all.columns(), values)?;
        let plane = Pca::default().n_components(2).fit(&x)?.transform(&x)?;
        let points = (0..names.len()).map(|row| (f64::from(plane.get(row, 0)), f64::from(plane.get(row, 1))));
        // White space would not be seen.
        let shown = names.iter().map(|name| match *name {
            " " => "space".to_string(),
            name if name.trim().is_empty() => name.escape_default().to_string(),
            name => name.to_string(),
        });
        let figure = Figure::new().title("Vectors of tokens").x_label("first component").y_label("second component");
        Ok(figure.words(points.zip(shown)))
    }
}
