//! Studies of networks: small experiments as functions, each with a picture. They run on the host.
//!
//! | function | what it shows |
//! |---|---|
//! | [`xor_by_hand`], [`xor_trained`] | XOR by two hidden units whose weights are set, and learnt with four, seen one by one |
//! | [`BooleanMemoriser`] | any function {±1}ⁿ → {±1} by one hidden layer of sign units |
//! | [`width_study`] | the effect of width on the loss and on how far the first layer moves |
//! | [`random_features_study`], [`trained_width_study`] | double descent: the test error peaks where parameters meet rows |
//! | [`lottery_study`] | pruned and rewound, pruned and redrawn, and dense networks beside each other |
//! | [`untrained_mask_study`] | a good predictor inside an untrained network |
//! | [`depth_study`] | gradients that vanish or explode with depth, by activation |
//!
//! ```
//! use gristmill::neural::studies::BooleanMemoriser;
//! let parity = BooleanMemoriser::new(3, |bits| bits.iter().product::<f32>() > 0.0)?;
//! assert_eq!(parity.mistakes()?, 0); // of all 8 inputs
//! # Ok::<(), gristmill::Error>(())
//! ```

mod depth;
mod double_descent;
mod lesson;
mod lottery;
mod memoriser;
mod untrained;
mod width;
mod xor;

pub use depth::{DepthStudy, depth_study};
pub use double_descent::{DoubleDescent, random_features_study, trained_width_study};
pub use lottery::{LotteryOptions, LotteryStudy, lottery_study};
pub use memoriser::BooleanMemoriser;
pub use untrained::{UntrainedMask, untrained_mask_study};
pub use width::{WidthStudy, width_study};
pub use xor::{XorNetwork, xor_by_hand, xor_trained};
