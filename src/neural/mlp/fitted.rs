//! What a fit leaves: parameters, what the optimiser remembers, curves.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::FitReport;
use crate::model_file::Container;
use crate::neural::learning::LearnerState;
use crate::neural::network::Network;

/// A network that learnt, and all that is needed to go on to the same bits.
#[derive(Debug, Clone)]
pub(in crate::neural) struct Fitted {
    pub(in crate::neural) network: Network,
    pub(in crate::neural) state: LearnerState,
    /// Loss after each epoch, and score of the validation rows.
    pub(in crate::neural) losses: Vec<f64>,
    pub(in crate::neural) scores: Vec<f64>,
    /// Length of the last gradient by layer.
    pub(in crate::neural) gradient_norms: Vec<f64>,
    pub(in crate::neural) progress: Progress,
}

/// Networks are what their parameters say, so those are compared.
impl PartialEq for Fitted {
    fn eq(&self, other: &Fitted) -> bool {
        (&self.state, &self.losses, &self.scores, &self.progress)
            == (&other.state, &other.losses, &other.scores, &other.progress)
    }
}

/// How far a fit has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::neural) struct Progress {
    pub(in crate::neural) steps: u64,
    pub(in crate::neural) epochs: u64,
    pub(in crate::neural) rate_factor: f64,
    /// The lowest loss, or the negative of the best score; none before the first epoch.
    pub(in crate::neural) best: Option<f64>,
    /// Epochs without progress.
    pub(in crate::neural) stale: usize,
    pub(in crate::neural) converged: bool,
    pub(in crate::neural) diverged: bool,
}

impl Fitted {
    /// Before the first epoch.
    pub(in crate::neural) fn new(network: Network, seed: u64) -> Fitted {
        let state = LearnerState::new(network.start(seed));
        let progress =
            Progress { steps: 0, epochs: 0, rate_factor: 1.0, best: None, stale: 0, converged: false, diverged: false };
        Fitted { network, state, losses: vec![], scores: vec![], gradient_norms: vec![], progress }
    }

    /// The matrices of weights (`name` is `weights`) or the biases (`bias`), one a layer.
    pub(in crate::neural) fn blocks(&self, name: &str) -> Result<Vec<Matrix>> {
        let placed = self.network.blocks().enumerate().filter(|(_, placed)| placed.block.name == name);
        placed.map(|(at, _)| self.network.block(&self.state.parameters, at)).collect()
    }

    /// Sets one of the matrices that [`Fitted::blocks`] gives.
    pub(in crate::neural) fn set_block(&mut self, name: &str, layer: usize, values: &Matrix) -> Result<()> {
        let mut placed = self.network.blocks().enumerate();
        let found = placed.find(|(_, placed)| placed.layer == layer && placed.block.name == name);
        let at = found.map_or(usize::MAX, |(at, _)| at);
        self.network.set_block(&mut self.state.parameters, at, values)
    }

    pub(in crate::neural) fn report(&self) -> FitReport {
        FitReport::default()
            .iterations(self.progress.epochs as usize, self.progress.converged)
            .with_number("loss", self.losses.last().copied())
            .with_curve("train_loss", &self.losses)
            .with_curve("validation_score", &self.scores)
            .with_row("gradient_norms", self.gradient_norms.clone())
    }

    pub(in crate::neural) fn store(&self, container: &mut Container) -> Result<()> {
        for (at, placed) in self.network.blocks().enumerate() {
            let block = self.network.block(&self.state.parameters, at)?;
            let shape = [block.rows(), block.columns()];
            let name = format!("layer{}.{}", placed.layer, placed.block.name);
            container.insert(&name, &shape, block.as_slice().to_vec())?;
        }
        container.insert_list("optimizer.first", &self.state.memory[0])?;
        container.insert_list("optimizer.second", &self.state.memory[1])?;
        container.insert_list("fit.train_loss", &self.losses)?;
        container.insert_list("fit.validation_score", &self.scores)?;
        container.insert_list("fit.gradient_norms", &self.gradient_norms)
    }

    /// What [`Fitted::store`] wrote, for this network.
    pub(in crate::neural) fn restore(
        network: Network,
        progress: Progress,
        container: &mut Container,
    ) -> Result<Fitted> {
        let mut fitted = Fitted::new(network, 0);
        for (at, placed) in fitted.network.clone().blocks().enumerate() {
            let name = format!("layer{}.{}", placed.layer, placed.block.name);
            let shape = [placed.block.rows, placed.block.columns];
            let values: Vec<f32> = container.take(&name, &shape)?;
            let values = Matrix::from_vec(shape[0], shape[1], values)?;
            fitted.network.set_block(&mut fitted.state.parameters, at, &values)?;
        }
        let memory = [container.take_list("optimizer.first")?, container.take_list("optimizer.second")?];
        let fits = |list: &Vec<f32>| list.is_empty() || list.len() == fitted.network.parameters();
        if !memory.iter().all(fits) {
            return Err(container.refuse("the optimiser remembers other parameters than the network has"));
        }
        if !(progress.rate_factor > 0.0 && progress.rate_factor.is_finite()) {
            return Err(container.refuse("a rate factor that is not above 0"));
        }
        let Progress { steps, epochs, rate_factor, .. } = progress;
        fitted.state = LearnerState { memory, steps, epochs, rate_factor, ..fitted.state };
        fitted.losses = container.take_list("fit.train_loss")?;
        fitted.scores = container.take_list("fit.validation_score")?;
        fitted.gradient_norms = container.take_list("fit.gradient_norms")?;
        fitted.progress = progress;
        Ok(fitted)
    }
}
