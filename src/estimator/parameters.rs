//! Parameters, declared once.

/// A parameter as the command line and the documentation show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, in Rust, in JSON and on the command line.
    pub name: &'static str,
    /// What it means: its doc comment.
    pub help: &'static str,
}

/// Declares the parameters of an estimator, each of them once: name, type, default, rule, and the doc comment, which is
/// the help on the command line too.
///
/// ```text
/// parameters! {
///     /// Ridge regression: least squares plus `alpha·‖coef‖²`.
///     pub struct Ridge: regressor("ridge") -> RidgeModel;
///     about "least squares with an L2 penalty on the coefficients";
///     new(alpha: f64);
///     {
///         /// Strength of the L2 penalty on the coefficients.
///         alpha: f64 = 1.0, at_least(0.0);
///         /// Whether there is an intercept; without one, the plane goes through the origin.
///         fit_intercept: bool = true;
///     }
/// }
/// ```
///
/// makes, by `settings!`, the struct with public fields (`Debug`, `Clone`, `PartialEq`, serde with defaults), `Default`,
/// `new` with the parameters named there, a setter for each field (an `Option` can be set to a value or back to `None`),
/// `fit` and `fit_with` for the kind of estimator; [`Parameters`](super::Parameters): name, help, task, and `check`, which
/// holds every value against its rule; and [`Declared`](super::Declared), for which the model keeps them in a field
/// `params`. Rules are those of `estimator::rules`; what depends on the rows or on two parameters is checked by the estimator's own
/// `fit_rows`.
///
/// The kinds are `classifier`, `regressor`, `clustering`, `outliers`, `density`, `transformer` and
/// `supervised_transformer`. What they learn from:
///
/// | kind | `fit` takes | `fit_rows` gets |
/// |---|---|---|
/// | `classifier` | rows, `&Labels` | `&Labels` |
/// | `regressor` | rows, numbers or an n×p matrix | `Targets` |
/// | `supervised_transformer` | rows, `&Target` | `&Target` |
/// | others | rows | `()` |
///
/// A field may carry one `#[serde(…)]` after its doc comment, and `#[into]` for a setter that takes what converts into
/// its type. A group of parameters that several estimators share is a macro of the family, which adds its fields to the
/// declaration it is given and ends with `shared Group { fields }`: the fields become those of the struct, and
/// `Group::from(&estimator)` collects them for the algorithm. `parameters! { group Group { fields } }` declares that
/// struct.
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident: $kind:ident($label:literal) -> $model:ty;
        about $about:literal;
        $(new($($new:ident: $new_type:ty),+);)?
        { $($fields:tt)* }
        $(shared $group:ident { $($shared:tt)* })*
    ) => {
        $crate::settings::settings! {
            $(#[$attribute])*
            #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
            #[serde(default)]
            pub struct $name { $($fields)* $($($shared)*)* }
        }
        $crate::estimator::parameters! { @fit $kind $name $model }
        $(
            impl $name {
                #[doc = concat!("The defaults with ", $("`", stringify!($new), "`, ",)+ "as given.")]
                #[allow(clippy::needless_update)] // Some have one parameter.
                pub fn new($($new: $new_type),+) -> $name {
                    $name { $($new,)+ ..$name::default() }
                }
            }
        )?
        impl $crate::estimator::Parameters for $name {
            type Model = $model;
            type Target<'a> = $crate::estimator::parameters!(@target $kind);
            const TASK: $crate::estimator::Task = $crate::estimator::parameters!(@task $kind);
            const NAME: &'static str = $label;
            const ABOUT: &'static str = $about;
            const PARAMETERS: &'static [$crate::estimator::Parameter] =
                $crate::estimator::parameters!(@help [] $($fields)* $($($shared)*)*);

            fn check(&self) -> $crate::Result<()> {
                $crate::estimator::parameters!(@check self $($fields)* $($($shared)*)*);
                Ok(())
            }
        }
        impl $crate::estimator::Declared for $name {
            const TYPE: &'static str = stringify!($name);

            fn of_model(model: &$model) -> &$crate::estimator::FittedWith<$name> {
                &model.params
            }
        }
        $($crate::estimator::parameters! { @collect $name $group [] $($shared)* })*
    };

    // A group that several estimators share, as a struct of its own.
    (group $(#[$attribute:meta])* $name:ident { $($fields:tt)* }) => {
        $crate::settings::settings! {
            @plain
            $(#[$attribute])*
            #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
            #[serde(default)]
            pub struct $name { $($fields)* }
        }
    };

    (@help [$($done:tt)*]) => { &[$($done)*] };
    (@help [$($done:tt)*]
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $(#[into])? $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::estimator::parameters!(@help [
            $($done)*
            $crate::estimator::Parameter { name: stringify!($field), help: concat!($($help),*) },
        ] $($rest)*)
    };

    (@check $self:ident) => {};
    (@check $self:ident
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $(#[into])? $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $({
            #[allow(unused_imports)]
            use $crate::estimator::rules::*;
            $rule.check(stringify!($field), &$self.$field)?;
        })?
        $crate::estimator::parameters!(@check $self $($rest)*);
    };

    (@collect $name:ident $group:ident [$($done:ident)*]) => {
        impl From<&$name> for $group {
            fn from(parameters: &$name) -> $group {
                $group { $($done: parameters.$done.clone(),)* }
            }
        }
    };
    (@collect $name:ident $group:ident [$($done:ident)*]
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $(#[into])? $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::estimator::parameters! { @collect $name $group [$($done)* $field] $($rest)* }
    };

    (@target classifier) => { &'a $crate::data::Labels };
    (@target regressor) => { $crate::estimator::Targets<'a> };
    (@target supervised_transformer) => { &'a $crate::data::Target };
    (@target $kind:ident) => { () };

    (@task classifier) => { $crate::estimator::Task::Classification };
    (@task regressor) => { $crate::estimator::Task::Regression };
    (@task clustering) => { $crate::estimator::Task::Clustering };
    (@task outliers) => { $crate::estimator::Task::Outliers };
    (@task density) => { $crate::estimator::Task::Density };
    (@task transformer) => { $crate::estimator::Task::Transformation };
    (@task supervised_transformer) => { $crate::estimator::Task::Transformation };

    // What `fit` is called with depends on what is learnt.
    (@fit classifier $name:ident $model:ty) => {
        $crate::estimator::parameters! { @fits $name $model, "and their classes, ", y: &$crate::data::Labels => y }
    };
    (@fit regressor $name:ident $model:ty) => {
        $crate::estimator::parameters! {
            @fits $name $model, "and their numbers (n, or n×p), ", y: impl Into<$crate::estimator::Targets<'b>> => y.into()
        }
    };
    (@fit supervised_transformer $name:ident $model:ty) => {
        $crate::estimator::parameters! { @fits $name $model, "and their target, ", y: &$crate::data::Target => y }
    };
    (@fit $kind:ident $name:ident $model:ty) => {
        $crate::estimator::parameters! { @fits $name $model, "", => () }
    };
    (@fits $name:ident $model:ty, $learnt:literal, $($y:ident: $target:ty)? => $value:expr) => {
        #[allow(clippy::extra_unused_lifetimes)] // `'b` is for numbers alone.
        impl $name {
            #[doc = concat!("Learns from the rows of `x` (n×d) ", $learnt, "where `x` lives.")]
            pub fn fit<'a, 'b>(
                &self,
                x: impl Into<$crate::estimator::Rows<'a>>,
                $($y: $target,)?
            ) -> $crate::Result<$model> {
                self.fit_with(x, $($y,)? $crate::estimator::Fit::default())
            }

            /// The same with options: sample weights, validation rows, an observer.
            pub fn fit_with<'a, 'b>(
                &self,
                x: impl Into<$crate::estimator::Rows<'a>>,
                $($y: $target,)?
                options: $crate::estimator::Fit<'_>,
            ) -> $crate::Result<$model> {
                $crate::estimator::checked_fit(self, x.into(), $value, options)
            }
        }
    };
}

pub(crate) use parameters;
