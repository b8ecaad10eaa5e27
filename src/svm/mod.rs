//! Support vector machines: the widest margin in the space of a kernel.

mod classes;
mod forms;
mod libsvm_text;
mod machine;
mod multiple_kernels;
mod one_class;
mod outcome;
mod parameters;
mod pictures;
mod shared;
mod single;
mod sources;
mod svc;
mod svr;
mod votes;

pub use forms::Slack;
pub use multiple_kernels::{KernelNorm, MultipleKernelLearning, MultipleKernelLearningModel};
pub use one_class::{OneClassSvm, OneClassSvmModel};
pub use parameters::{MultiClass, SvmSolver};
pub use svc::{NuSvc, NuSvcModel, Svc, SvcModel};
pub use svr::{NuSvr, NuSvrModel, Svr, SvrModel};
