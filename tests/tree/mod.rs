//! Trees beneath their estimators: bins, ways to grow, model files, explanations.

mod agreement;
mod bins;
mod category_groups;
mod parameters;
mod shapley;
mod storage;
