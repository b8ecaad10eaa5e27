//! Classes of images by a network of convolutions.

use super::classes::{ClassLearner, ClassNetwork, check_chunk, head};
use super::{LearningRate, MlpSettings, Solver, mlp_parameters, refuse_lbfgs};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{ClassWeight, Labels};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Parameters, Predict,
    PredictProba, Prediction, Rows, Save, checked_partial_fit, parameters, remember,
};
use crate::model_file::Container;
use crate::neural::layers::{Augment, Convolution, Pool};
use crate::neural::network::Network;
use crate::neural::shape::Shape;
use crate::ops::neural::Activation;

mlp_parameters! {
    /// A network of convolutions for images in rows: for each number of `filters` a convolution with padding and the largest of
    /// 2×2 pixels, then the dense layers of `hidden_layer_sizes`. What it shares with `MlpClassifier` has the same names.
    ///
    /// ```
    /// use gristmill::neural::ConvClassifier;
    /// use gristmill::prelude::*;
    /// let digits = datasets::digits()?;
    /// let x = Matrix::from_vec(1797, 64, digits.x.as_slice().iter().map(|pixel| pixel / 16.0).collect())?;
    /// let conv = ConvClassifier::default().image_shape(vec![8, 8]).filters(vec![8]).hidden_layer_sizes(vec![]);
    /// let model = conv.learning_rate_init(0.01).max_iter(3).fit(&x, digits.labels()?)?;
    /// assert!(model.score(&x, digits.labels()?)? > 0.7);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - `image_shape` is height, width and channels of a row, the channels of a pixel side by side; without channels there is one.
    ///   Rows of another length are refused. Empty, it is a square of one channel, or one row of pixels.
    /// - It runs where the rows live, as `MlpClassifier` does; on a GPU a convolution is a product that reads windows where they
    ///   lie, so memory is that of the layers' outputs for one batch.
    /// - Scale the pixels first, to 0 … 1 for instance.
    /// - Images are flipped and shifted on the device of the batch, while the network learns.
    /// - A rate that diverges ends the fit with the weights before the epoch, and a warning.
    ConvClassifier: classifier("conv-classifier") -> ConvClassifierModel;
    about "a network of convolutions for classes of images";
    {
        /// Height, width and channels of the image in a row; without channels one; empty: a square, else one row of pixels.
        image_shape: Vec<usize> = vec![];
        /// Filters of each convolution, multiples of 4.
        filters: Vec<usize> = vec![32, 64];
        /// Rows and columns of a window, odd.
        kernel_size: usize = 3, at_least(1.0);
        /// Rows and columns of pixels that become one behind each convolution, while there are so many; 1 for none.
        pool_size: usize = 2, at_least(1.0);
        /// Whether left and right change places in half of the images of a batch.
        flip: bool = false;
        /// Pixels that images of a batch are shifted by at most.
        shift: usize = 0;
        /// Weights of classes: none, balanced (not in chunks), or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
}

impl ConvClassifier {
    /// One epoch over a chunk of rows; goes on from `model`, or begins with `None`.
    pub fn partial_fit<'a>(
        &self,
        model: Option<ConvClassifierModel>,
        x: impl Into<Rows<'a>>,
        y: &Labels,
    ) -> Result<ConvClassifierModel> {
        checked_partial_fit(self, model, x.into(), y, Fit::default())
    }

    /// Goes on from a model, which may come from a file, until `max_iter` epochs are done in all.
    pub fn resume<'a>(
        &self,
        model: ConvClassifierModel,
        x: impl Into<Rows<'a>>,
        y: &Labels,
    ) -> Result<ConvClassifierModel> {
        self.check()?;
        let x = x.into();
        Ok(remember(x, self.learn(Some(model), x, y, Fit::default(), self.max_iter as u64)?))
    }

    fn image(&self, columns: usize) -> Result<Shape> {
        let side = columns.isqrt();
        let (height, width, channels) = match self.image_shape[..] {
            [] if side * side == columns => (side, side, 1),
            [] => (1, columns, 1),
            [height, width] => (height, width, 1),
            [height, width, channels] => (height, width, channels),
            _ => (0, 0, 0),
        };
        let sizes = [height, width, channels];
        if sizes.contains(&0) || sizes.iter().any(|size| *size > 1 << 16) || sizes.iter().product::<usize>() > 1 << 24 {
            let rule = "height, width and channels of an image of up to 16777216 numbers, each above 0";
            return Err(Error::param("image_shape", rule, format!("{:?}", self.image_shape)));
        }
        Ok(Shape::Image { height, width, channels })
    }

    fn network(&self, columns: usize, classes: usize) -> Result<Network> {
        let image = self.image(columns)?;
        if image.size() != columns {
            let expected = format!("rows of {image} = {} numbers, as image_shape says", image.size());
            return Err(Error::shape(Self::TYPE, expected, columns));
        }
        if self.kernel_size.is_multiple_of(2) || self.kernel_size > 1 << 8 {
            return Err(Error::param("kernel_size", "odd, up to 255", self.kernel_size));
        }
        if self.filters.iter().any(|filters| *filters > 1 << 16) {
            return Err(Error::param("filters", "up to 65536", format!("{:?}", self.filters)));
        }
        let settings = MlpSettings::from(self);
        let (outputs, activation, loss) = head(classes);
        let mut network = Network::new(image, loss);
        if self.flip || self.shift > 0 {
            network = network.layer(Augment { flip: self.flip, shift: self.shift })?;
        }
        for filters in &self.filters {
            let size = [self.kernel_size; 2];
            let layer = Convolution::new(*filters, size, settings.activation).padding(self.kernel_size / 2);
            network = network.layer(layer)?;
            let Shape::Image { height, width, .. } = network.shape() else { continue };
            if self.pool_size > 1 && self.pool_size <= height.min(width) {
                network = network.layer(Pool::max(self.pool_size))?;
            }
        }
        settings.dense_layers(network, outputs, activation)
    }

    fn learn(
        &self,
        model: Option<ConvClassifierModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
        epochs: u64,
    ) -> Result<ConvClassifierModel> {
        let learner = ClassLearner {
            name: Self::TYPE,
            settings: MlpSettings::from(self),
            class_weight: &self.class_weight,
            seed: self.seed,
            network: &|columns, classes| self.network(columns, classes),
        };
        let net = learner.learn(model.map(|model| model.net), x, y, options, epochs)?;
        Ok(ConvClassifierModel { params: self.clone().into(), net })
    }
}

impl Estimator for ConvClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    /// Six operations for each weight at each of its places.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let network = self.network(shape.columns, shape.outputs.max(2)).ok()?;
        let places = |layer: usize| match network.shape_behind(layer) {
            Shape::Image { height, width, .. } => height * width,
            _ => 1,
        };
        let products: usize = network.blocks().map(|placed| placed.block.size() * places(placed.layer)).sum();
        let work = Cost { operations: 6.0 * (shape.rows * products) as f64, syncs: 1.0, ..Cost::default() };
        let once = Cost { kernels: 20.0, ..Cost::uploading(shape.rows, shape.columns) };
        Some(work * self.max_iter as f64 + once)
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<ConvClassifierModel> {
        self.learn(None, x, y, options, self.max_iter as u64)
    }

    fn partial_fit_rows(
        &self,
        model: Option<ConvClassifierModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<ConvClassifierModel> {
        check_chunk(&self.class_weight)?;
        refuse_lbfgs(self.solver, "another solver for chunks of rows: lbfgs takes all rows at once")?;
        let epochs = model.as_ref().map_or(0, |model| model.net.fitted.progress.epochs) + 1;
        let chunk = ConvClassifier { early_stopping: false, ..self.clone() };
        let mut made = chunk.learn(model, x, y, options, epochs)?;
        made.params = self.clone().into();
        Ok(made)
    }
}

/// A network of convolutions for classes, as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvClassifierModel {
    params: FittedWith<ConvClassifier>,
    net: ClassNetwork,
}

super::mlp_model!(ConvClassifierModel, net.fitted);
super::class_model!(ConvClassifierModel, ConvClassifier);

impl Save for ConvClassifierModel {
    type Estimator = ConvClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("columns", &[self.net.fitted.network.input().size() as f64])?;
        self.net.store(container)
    }

    fn load_fitted(params: FittedWith<ConvClassifier>, container: &mut Container) -> Result<ConvClassifierModel> {
        let columns: Vec<f64> = container.take_list("columns")?;
        let columns = match columns[..] {
            [columns] if (1.0..=f64::from(1 << 24)).contains(&columns) && columns.fract() == 0.0 => columns as usize,
            _ => return Err(container.refuse("no number of columns")),
        };
        let net = ClassNetwork::restore(container, |container, classes| {
            params.network(columns, classes).map_err(|error| container.refuse(error.to_string()))
        })?;
        Ok(ConvClassifierModel { params, net })
    }
}
