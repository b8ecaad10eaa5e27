//! The two macros by which a kernel's parameters and the kernel itself are declared, each once.

/// Declares the `Params` of kernels: each a struct as the shader sees it, with the list of its fields that the layout
/// test compares with the shader's. Fields are as visible as their struct; the engine fills up to 16 bytes.
///
/// ```ignore
/// params! { struct Params { rows: u32, alpha: f32 } }
/// ```
macro_rules! params {
    ($($(#[$about:meta])* $visible:vis struct $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        $visible struct $name {
            $($visible $field: $type,)*
        }

        impl $name {
            $visible const FIELDS: &'static [crate::kernel::Field] = &[
                $(crate::kernel::Field { name: stringify!($field), offset: std::mem::offset_of!($name, $field) },)*
            ];
        }
    )*};
}

/// Declares the kernels of a file: name of the constant, path of the shader below `shaders/`, how each buffer is bound,
/// parameters; and the list of them.
///
/// ```ignore
/// kernels! {
///     /// Adds the runs.
///     pub KERNEL_MERGE = "cluster/centroid_sum__merge", [Read, Write], MergeParams;
/// }
/// ```
macro_rules! kernels {
    ($($(#[$about:meta])* $visible:vis $name:ident = $path:literal, [$($access:ident),*], $params:ty;)*) => {
        $(#[doc = concat!("The kernel in `shaders/", $path, ".wgsl`.")]
        ///
        $(#[$about])*
        $visible const $name: crate::kernel::Kernel = crate::kernel::Kernel {
            name: $path,
            source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $path, ".wgsl")),
            buffers: &[$(crate::kernel::Access::$access),*],
            params: <$params>::FIELDS,
            params_size: size_of::<$params>().next_multiple_of(16),
        };)*

        /// The kernels of this file.
        pub(crate) const KERNELS: &[&crate::kernel::Kernel] = &[$(&$name),*];
    };
}

pub(crate) use {kernels, params};
