//! The protocol beside the steps: what is taken stock of and remembered, the budget, the pace, the goal, and when a checkpoint
//! is written.

mod memory;
