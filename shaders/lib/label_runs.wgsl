// Runs of rows with their labels: what both halves of the counting sort by cluster read.
// A lane takes a run; the last run may be shorter.
// Runs begin at fixed rows, so that no result depends on how the rows were cut.
//#import status
struct Params {
    rows: u32,
    runs: u32,
    run_rows: u32,
    clusters: u32,
    label_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> labels: array<u32>;
