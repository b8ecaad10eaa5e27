//! How a fitted estimator is saved: its parameters, and what it learnt.

use super::contract::{Declared, Estimator};
use super::fitted_with::FittedWith;
use crate::error::Result;
use crate::model_file::{Container, FittedColumns, Persist, TargetShift};

/// A model that is saved as the estimator it was fitted with and what it learnt. It implements [`Persist`] for the
/// model.
///
/// The file remembers how the model was fitted: its parameters are `{"estimator": …, "fitted": …}`, the second only for
/// models with single numbers to keep ([`Container::set_fitted`]).
pub trait Save: Sized {
    /// The parameters that were fitted.
    type Estimator: Estimator<Model = Self> + Declared;

    /// The version of what `save_fitted` writes: increase it when that changes.
    const VERSION: u32 = 1;

    /// The parameters that it was fitted with, and the columns.
    fn estimator(&self) -> &FittedWith<Self::Estimator> {
        Self::Estimator::of_model(self)
    }

    /// Puts what was learnt into a container: arrays, and numbers by [`Container::set_fitted`].
    fn save_fitted(&self, container: &mut Container) -> Result<()>;

    /// Takes it out again, and checks that everything fits together; the parameters keep their rules already.
    fn load_fitted(estimator: FittedWith<Self::Estimator>, container: &mut Container) -> Result<Self>;
}

impl<M: Save> Persist for M {
    const KIND: &'static str = <M::Estimator as super::Parameters>::NAME;
    const VERSION: u32 = M::VERSION;
    const REMEMBERS_SHIFT: bool = true;

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_estimator(&**self.estimator())?;
        if let Some(columns) = self.estimator().columns() {
            container.set_columns(columns)?;
        }
        if let Some(shift) = self.estimator().shift() {
            container.set_target_shift(shift)?;
        }
        self.save_fitted(container)
    }

    fn restore(container: &mut Container) -> Result<M> {
        use super::Parameters;
        let estimator: M::Estimator = container.estimator()?;
        estimator.check().map_err(|error| container.refuse(error.to_string()))?;
        let estimator = FittedWith::from(estimator);
        estimator.remember(container.take_columns()?);
        if let Some(shift) = container.take_target_shift()? {
            estimator.remember_shift(shift);
        }
        M::load_fitted(estimator, container)
    }

    fn fitted_columns(&self) -> Option<&FittedColumns> {
        self.estimator().columns()
    }

    fn remember_columns(&self, columns: FittedColumns) {
        self.estimator().remember(columns);
    }

    fn target_shift(&self) -> Option<&TargetShift> {
        self.estimator().shift()
    }

    fn remember_shift(&self, shift: TargetShift) {
        self.estimator().remember_shift(shift);
    }
}
