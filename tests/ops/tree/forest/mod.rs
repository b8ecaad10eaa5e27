mod bootstrap;
mod target_histogram;
mod target_split;
mod target_squares;

use super::{Codes, Numbers, mixed};
