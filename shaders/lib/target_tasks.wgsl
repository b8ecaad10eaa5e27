// What a workgroup of the searches of tree/forest/target_split does: which node and feature it takes, and what it keeps.
// Behind the last task it is the last again, and for a feature that is none the first; nothing is kept, so that barriers are not
// in a branch.
// The shader that imports this binds `found` and imports `target_scan`.

// A word of the left side of what was found.
fn found_word(best: vec4<u32>, word: u32, bins: u32, missing_bins: u32) -> vec2<u32> {
    if (best.z < FOUND) {
        return vec2<u32>();
    }
    let goes_left = missing_bins == 1u && (best.z & MISSING_LEFT) != 0u;
    return left_word(best.z & 0xffffu, select(0u, 1u, goes_left), word, bins);
}

struct Task {
    number: u32,
    is_one: bool,
    search: u32,
    feature: u32,
}

fn task_of(group: u32) -> Task {
    let number = params.task_begin + group;
    let own = min(number, params.tasks - 1u);
    let feature = feature_of(own / params.width, own % params.width);
    let is_one = number < params.tasks && feature != NO_FEATURE;
    return Task(number, is_one, search_place(own / params.width), select(0u, feature, feature != NO_FEATURE));
}

// Searches a feature of so many bins, one for missing values or none, and a bin without a cell; what is found is kept if wanted.
fn search_feature(lane: u32, task: Task, feature: vec3<u32>, is_wanted: bool) {
    // Without bins there is nothing to do.
    let bins = select(0u, feature.x, is_wanted);
    let missing_bins = select(0u, feature.y, is_wanted);
    add_up(lane, task.search, bins + missing_bins, feature.z);
    let best = split_of(lane, task.search, task.feature, bins, missing_bins);
    if (is_wanted) {
        let to = found_place(task.number);
        if (lane == 0u) {
            found[to] = best.x;
            found[to + 1u] = best.y;
            found[to + 2u] = best.z;
            found[to + 3u] = best.w;
        }
        if (lane < WORDS) {
            let left = found_word(best, lane, bins, missing_bins);
            found[to + 4u + 2u * lane] = left.x;
            found[to + 5u + 2u * lane] = left.y;
        }
    }
}
