//! No kernel has a barrier that some lanes may miss, and the lint that says so is itself tried on small shaders.

use super::module::{Parsed, check_every_kernel};
use super::tint;
use super::uniformity::barriers_apart;

#[test]
fn every_kernel_keeps_its_barriers_where_all_lanes_are_together() {
    check_every_kernel(|_, parsed| barriers_apart(&parsed.text, &parsed.module));
}

/// What the lint says of a body of `main`, with `more` beside it.
fn faults_with(more: &str, body: &str) -> Vec<String> {
    let parsed = Parsed::sample(&format!(
        "struct Params {{ count: u32, sizes: array<vec4<u32>, 4>, }}
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;
        override TEAM: u32 = 32u;
        var<workgroup> shared_count: u32;
        var<private> private_count: u32;
        {more}
        @compute @workgroup_size(256)
        fn main(
            @builtin(workgroup_id) group: vec3<u32>,
            @builtin(num_workgroups) groups: vec3<u32>,
            @builtin(local_invocation_index) lane: u32,
            @builtin(global_invocation_id) global: vec3<u32>,
        ) {{
            {body}
        }}"
    ));
    let faults = barriers_apart(&parsed.text, &parsed.module);
    // The lint may be stricter than tint, never laxer.
    if faults.is_empty() && tint::installed() {
        assert_eq!(tint::refusal(&format!("enable subgroups;\n{}", parsed.text)), None);
    }
    faults
}

fn accepted(body: &str) -> bool {
    faults_with("", body).is_empty()
}

fn rejected(body: &str) -> bool {
    faults_with("", body).len() == 1
}

#[test]
fn a_barrier_at_top_level_is_accepted() {
    assert!(accepted("data[lane] = 1u; workgroupBarrier(); data[lane] += 1u; storageBarrier();"));
}

#[test]
fn a_barrier_under_a_condition_on_the_lane_is_rejected() {
    assert!(rejected("if (lane < 5u) { workgroupBarrier(); }"));
    assert!(rejected("if (lane < 5u) { data[0] = 1u; } else { storageBarrier(); }"));
    assert!(rejected("if (global.x < params.count) { workgroupBarrier(); }"));
    assert!(rejected("switch (lane) { case 3u: { workgroupBarrier(); } default: {} }"));
}

#[test]
fn the_fault_names_the_function_and_shows_the_line() {
    let faults = faults_with("", "if (lane < 5u) {\n workgroupBarrier();\n }");
    assert!(faults[0].contains("in main") && faults[0].ends_with("workgroupBarrier();"), "{faults:?}");
}

#[test]
fn a_barrier_under_uniform_conditions_is_accepted() {
    assert!(accepted("if (group.x < params.count) { workgroupBarrier(); }"));
    assert!(accepted("let at = group.y * groups.x + group.x; if (at < params.count) { workgroupBarrier(); }"));
    assert!(accepted("if (group.x > 1u && params.sizes[group.x % 4u].y > 2u) { workgroupBarrier(); }"));
    assert!(accepted("switch (params.count) { case 3u: { workgroupBarrier(); } default: {} }"));
    assert!(accepted("if (min(params.count, TEAM) == select(1u, 2u, group.z > 0u)) { workgroupBarrier(); }"));
}

#[test]
fn a_short_circuit_with_the_lane_in_it_is_rejected() {
    assert!(rejected("if (group.x > 1u && lane > 2u) { workgroupBarrier(); }"));
    assert!(rejected("if (lane > 2u || group.x > 1u) { workgroupBarrier(); }"));
}

#[test]
fn a_barrier_in_a_loop_that_halves_is_accepted() {
    assert!(accepted("for (var half = 128u; half > 0u; half /= 2u) { workgroupBarrier(); }"));
    assert!(accepted(
        "for (var half = TEAM / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) { data[lane] += 1u; }
        }"
    ));
    assert!(accepted("var i = 0u; while (i < params.count) { workgroupBarrier(); i += 1u; }"));
    assert!(accepted("var i = 0u; loop { workgroupBarrier(); continuing { i += 1u; break if i >= params.count; } }"));
}

#[test]
fn a_barrier_in_a_loop_whose_length_depends_on_the_lane_is_rejected() {
    assert!(rejected("for (var i = 0u; i < lane; i += 1u) { workgroupBarrier(); }"));
    assert!(rejected("for (var i = lane; i < 512u; i += 256u) { workgroupBarrier(); }"));
    assert!(rejected("let count = data[lane]; for (var i = 0u; i < count; i += 1u) { workgroupBarrier(); }"));
    assert!(rejected("var i = 0u; loop { workgroupBarrier(); continuing { i += 1u; break if i >= lane; } }"));
}

#[test]
fn a_barrier_before_the_break_that_parts_the_lanes_is_rejected() {
    assert!(rejected("loop { workgroupBarrier(); if (data[lane] == 0u) { break; } }"));
    assert!(rejected("for (var i = 0u; i < 9u; i += 1u) { workgroupBarrier(); if (lane == i) { return; } }"));
    assert!(rejected("for (var i = 0u; i < 9u; i += 1u) { if (lane == i) { continue; } workgroupBarrier(); }"));
}

#[test]
fn lanes_are_together_again_after_a_loop_that_parted_them() {
    assert!(accepted("for (var i = lane; i < 512u; i += 256u) { data[i] = 1u; } workgroupBarrier();"));
    assert!(accepted("if (lane == 0u) { data[0] = 1u; } workgroupBarrier();"));
    assert!(accepted(
        "switch (lane) { case 3u: { if (data[1] > 1u) { break; } data[0] = 2u; } default: {} } workgroupBarrier();"
    ));
}

#[test]
fn a_variable_counted_in_a_parted_loop_is_not_uniform_after_it() {
    assert!(rejected("var i = 0u; loop { if (i >= lane) { break; } i += 1u; } if (i > 3u) { workgroupBarrier(); }"));
    assert!(rejected("var seen = 0u; if (lane < 5u) { seen = 1u; } if (seen == 1u) { workgroupBarrier(); }"));
    assert!(rejected("var list = array<u32, 4>(); list[lane % 4u] = 1u; if (list[0] == 1u) { workgroupBarrier(); }"));
}

#[test]
fn a_variable_that_takes_its_difference_the_long_way_round_is_found() {
    assert!(rejected(
        "var a = 0u; var b = 0u; var c = 0u;
        for (var i = 0u; i < 4u; i += 1u) {
            if (a > 0u) { workgroupBarrier(); }
            a = b; b = c; c = lane;
        }"
    ));
}

#[test]
fn a_barrier_after_a_return_of_some_lanes_is_rejected() {
    assert!(rejected("if (lane >= params.count) { return; } workgroupBarrier();"));
    assert!(rejected("for (var i = 0u; i < 4u; i += 1u) { if (data[lane] == i) { return; } } workgroupBarrier();"));
    assert!(rejected("if (lane < 9u) { if (params.count > 2u) { return; } } workgroupBarrier();"));
    assert!(accepted("if (group.x >= params.count) { return; } workgroupBarrier();"));
}

#[test]
fn memory_that_lanes_share_or_own_is_not_uniform() {
    assert!(rejected("if (data[0] > 1u) { workgroupBarrier(); }"));
    assert!(rejected("if (shared_count > 1u) { workgroupBarrier(); }"));
    assert!(rejected("if (private_count > 1u) { workgroupBarrier(); }"));
    assert!(accepted("if (workgroupUniformLoad(&shared_count) > 1u) { workgroupBarrier(); }"));
    assert!(rejected("if (lane > 1u) { _ = workgroupUniformLoad(&shared_count); }"));
}

const SYNC: &str =
    "fn deeper() { workgroupBarrier(); }\nfn sync(rounds: u32) { for (var i = 0u; i < rounds; i += 1u) { deeper(); } }";

#[test]
fn a_function_with_a_barrier_may_be_called_only_by_all_lanes_together() {
    assert_eq!(faults_with(SYNC, "sync(4u);").len(), 0);
    assert_eq!(faults_with(SYNC, "if (lane < 5u) { sync(4u); }").len(), 1);
    assert_eq!(faults_with(SYNC, "if (lane < 5u) { return; } deeper();").len(), 1);
}

#[test]
fn an_argument_is_as_uniform_as_what_is_passed() {
    assert_eq!(faults_with(SYNC, "sync(params.count + group.x);").len(), 0);
    assert_eq!(faults_with(SYNC, "sync(lane);").len(), 1);
    assert_eq!(faults_with(SYNC, "sync(params.count); sync(data[0]);").len(), 1);
}

#[test]
fn a_result_is_as_uniform_as_what_every_return_gives() {
    let pick = "fn pick(x: u32, y: u32) -> u32 { if (x > 3u) { return y; } return 2u * y; }";
    assert_eq!(faults_with(pick, "if (pick(group.x, params.count) > 1u) { workgroupBarrier(); }").len(), 0);
    assert_eq!(faults_with(pick, "if (pick(lane, params.count) > 1u) { workgroupBarrier(); }").len(), 1);
    assert_eq!(faults_with(pick, "if (pick(group.x, lane) > 1u) { workgroupBarrier(); }").len(), 1);
}

#[test]
fn a_return_of_some_lanes_in_a_called_function_ends_there() {
    let write = "fn write(at: u32) { if (at > params.count) { return; } data[at] = 1u; }";
    assert_eq!(faults_with(write, "write(lane); workgroupBarrier();").len(), 0);
}

#[test]
fn a_variable_lent_by_pointer_is_not_trusted_afterwards() {
    let write = "fn write(place: ptr<function, u32>, x: u32) { *place = x; }";
    assert_eq!(faults_with(write, "var n = 0u; write(&n, lane); if (n > 1u) { workgroupBarrier(); }").len(), 1);
    let sync = "fn sync(place: ptr<function, u32>) { if (*place > 1u) { workgroupBarrier(); } }";
    assert_eq!(faults_with(sync, "var n = lane; sync(&n);").len(), 1);
}

#[test]
fn a_subgroup_operation_needs_lanes_together_too() {
    assert!(accepted("for (var i = 0u; i < params.count; i += 1u) { data[lane] = subgroupBroadcast(lane, 0u); }"));
    assert!(rejected("if (lane < 5u) { data[lane] = subgroupAdd(lane); }"));
    assert!(rejected("if (subgroupAny(lane == 3u)) { workgroupBarrier(); }"));
}
