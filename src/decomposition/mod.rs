//! Rows as sums of few directions, atoms or sources, or as places on a map.

mod columns;
mod dictionary;
mod fast_ica;
mod nmf;
mod pca;
mod pictures;
mod som;
mod truncated_svd;

pub use dictionary::{
    AtomSamples, CodingAlgorithm, DictionaryLearning, DictionaryLearningModel, DictionarySolver, KSvd, KSvdModel,
    SparseCoder, SparseCoderModel,
};
pub use fast_ica::{FastIca, FastIcaModel, IcaAlgorithm, IcaContrast, Whitening};
pub use nmf::{BetaLoss, Nmf, NmfInit, NmfModel, NmfSolver};
pub use pca::{ColumnScale, Components, Pca, PcaModel};
pub use som::{MapInit, MapTopology, Neighborhood, RadiusDecay, SelfOrganizingMap, SelfOrganizingMapModel};
pub use truncated_svd::{TruncatedSvd, TruncatedSvdModel};
