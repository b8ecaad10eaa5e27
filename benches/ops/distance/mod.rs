mod pairwise;

pub use pairwise::cases;
