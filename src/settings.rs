//! Structs of settings, each declared once.

/// Declares a struct of settings: fields with their defaults, and a setter for each.
///
/// ```text
/// settings! {
///     /// Round clusters.
///     #[derive(Debug, Clone, PartialEq)]
///     pub struct Blobs {
///         /// Rows, n.
///         n_samples: usize = 100;
///         /// The deviation within a cluster.
///         cluster_std: f32 = 1.0;
///     }
/// }
/// ```
///
/// makes the struct with public fields whose documentation ends with the default, `Default`, and `n_samples(…)` and
/// `cluster_std(…)`, which take the value and return the struct. The setter of an `Option` takes a value or `None`, that of
/// a field marked `#[into]` what converts into its type, and that of `#[names]` (a list of texts, optional or not) whatever
/// gives texts. A rule behind the default is for [`parameters!`](crate::estimator), which is built on this.
macro_rules! settings {
    ($(#[$attribute:meta])* pub struct $name:ident { $($fields:tt)* }) => {
        $crate::settings::settings! { @plain $(#[$attribute])* pub struct $name { $($fields)* } }
        $crate::settings::settings! { @setters $name [] $($fields)* }
    };

    // Without setters.
    (@plain $(#[$attribute:meta])* pub struct $name:ident { $($fields:tt)* }) => {
        $crate::settings::settings! { @struct [$(#[$attribute])*] $name [] $($fields)* }
        $crate::settings::settings! { @default $name [] $($fields)* }
    };

    // The struct: fields are gathered one by one, each with its default in its documentation.
    (@struct [$($attribute:tt)*] $name:ident [$($done:tt)*]) => {
        $($attribute)*
        pub struct $name { $($done)* }
    };
    (@struct $attributes:tt $name:ident [$($done:tt)*]
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $(#[into])? $(#[names])? $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::settings::settings! { @struct $attributes $name [
            $($done)*
            $(#[doc = $help])*
            #[doc = ""]
            #[doc = concat!("Default: `", stringify!($default), "`.")]
            $(#[serde($($serde)*)])?
            pub $field: $type,
        ] $($rest)* }
    };

    (@default $name:ident [$($done:tt)*]) => {
        impl Default for $name {
            fn default() -> $name {
                $name { $($done)* }
            }
        }
    };
    (@default $name:ident [$($done:tt)*]
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $(#[into])? $(#[names])? $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::settings::settings! { @default $name [$($done)* $field: $default,] $($rest)* }
    };

    // Setters: what each takes, and what becomes of it.
    (@setters $name:ident [$($done:tt)*]) => {
        impl $name { $($done)* }
    };
    (@setters $name:ident $done:tt
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? #[names] $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::settings::settings! { @setter $name $done [$($help)*] $field: impl IntoIterator<Item = impl Into<String>> => $field.into_iter().map(Into::into).collect::<Vec<String>>().into(); $($rest)* }
    };
    (@setters $name:ident $done:tt
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? #[into] $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::settings::settings! { @setter $name $done [$($help)*] $field: impl Into<$type> => $field.into(); $($rest)* }
    };
    (@setters $name:ident $done:tt
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $field:ident: Option<$type:ty> = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::settings::settings! { @setter $name $done [$($help)*] $field: impl Into<Option<$type>> => $field.into(); $($rest)* }
    };
    (@setters $name:ident $done:tt
        $(#[doc = $help:literal])* $(#[serde($($serde:tt)*)])? $field:ident: $type:ty = $default:expr $(, $rule:expr)?;
        $($rest:tt)*
    ) => {
        $crate::settings::settings! { @setter $name $done [$($help)*] $field: $type => $field; $($rest)* }
    };
    (@setter $name:ident [$($done:tt)*] [$($help:literal)*] $field:ident: $takes:ty => $value:expr; $($rest:tt)*) => {
        $crate::settings::settings! { @setters $name [
            $($done)*
            #[doc = concat!("Sets `", stringify!($field), "`.")]
            #[doc = ""]
            $(#[doc = $help])*
            pub fn $field(mut self, $field: $takes) -> $name {
                self.$field = $value;
                self
            }
        ] $($rest)* }
    };
}

pub(crate) use settings;
