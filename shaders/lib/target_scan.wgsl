// The best split of a node by one feature, or the one at a random threshold, from the exact sums of its rows' targets: for the
// variants of tree/forest/target_split. In f32 what may be best, then in f64 what is; each lane tries four bins.
// The shader that imports this defines cell_of(bin, word), which has the cells, and sum_at and set_sum, where 256 bins of at most
// seven words are added up; it imports `target_searches`, `wide` and `double`.

// What a split reduces: Gini of two classes, of more, entropy, misclassification, variance.
override KIND: u32 = 0u;
// Whether each feature has one random threshold instead of the best.
override RANDOM: u32 = 0u;
const TWO_CLASSES = 0u;
const ENTROPY = 2u;
const MISCLASSIFICATION = 3u;
const VARIANCE = 4u;

var<workgroup> lane_bounds: array<f32, 64>;
var<workgroup> lane_best: array<vec4<u32>, 64>;

// Less than any bound.
const NOTHING = -3.0e38;
// The rounding of a score is at most 20·2⁻²³ of its terms; this is three times that.
const ROUNDING = 7.62939453125e-06;
const ONE = vec2(0u, 0x3ff00000u);
const TWO_LOG2_E = vec2(0x652b82feu, 0x40071547u);
// 1 − √½ in the bits of f64.
const ABOVE_ROOT = vec2(0x9980c433u, 0x00095f61u);

// What is asked of every split of the node.
struct Node {
    search: u32,
    bins: u32,
    count_bits: u32,
    rows: u32,
    // In f64.
    weight: vec2<u32>,
}

fn number(a: vec2<u32>) -> f32 {
    return f32(a.y) * 4294967296.0 + f32(a.x);
}

// The left side of a split behind a bin, missing values with it in the second turn.
fn left_word(bin: u32, turn: u32, word: u32, bins: u32) -> vec2<u32> {
    let present = sum_at(bin * WORDS + word);
    if (turn == 1u) {
        return wide_add(present, wide_subtract(sum_at(bins * WORDS + word), sum_at((bins - 1u) * WORDS + word)));
    }
    return present;
}

fn rows_left(bin: u32, turn: u32, node: Node) -> u32 {
    let mask = (1u << node.count_bits) - 1u;
    var rows = left_word(bin, turn, 0u, node.bins).x & mask;
    if (KIND != VARIANCE) {
        for (var word = 1u; word < WORDS; word += 1u) {
            rows += left_word(bin, turn, word, node.bins).x & mask;
        }
    }
    return rows;
}

fn allowed(bin: u32, turn: u32, node: Node) -> bool {
    let rows = rows_left(bin, turn, node);
    // Without anything present on the left, it is no split of what is present.
    let is_split = turn == 0u || rows_left(bin, 0u, node) > 0u;
    return is_split && rows >= params.min_rows && node.rows - rows >= params.min_rows;
}

// A part of a side as a number: the weight of a class, or the sum of an output; those are made smaller, as their squares would
// not be numbers of f32.
fn part(word: vec2<u32>, count_bits: u32) -> f32 {
    if (KIND != VARIANCE) {
        return number(weight_of(word, count_bits));
    }
    let is_negative = word.y >= DOUBLE_SIGN;
    return 9.5367431640625e-07 * number(select(word, wide_subtract(vec2<u32>(), word), vec2(is_negative)));
}

// w·log₂ w, by the series of the area tangent.
fn information(weight: f32) -> f32 {
    let bits = bitcast<u32>(max(weight, 1.0));
    let exponent = i32((bits + 0x004afb0du) >> 23u) - 127;
    let mantissa = bitcast<f32>(bits - (bitcast<u32>(exponent) << 23u));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let series = 1.0 + z * (0.33333334 + z * (0.2 + z * (0.14285715 + z * 0.11111111)));
    return weight * (f32(exponent) + 2.885390 * (s * series));
}

// What both sides have: a lower and an upper bound of what the criterion adds up.
fn bounds_of(bin: u32, turn: u32, node: Node) -> vec2<f32> {
    if (!allowed(bin, turn, node)) {
        return vec2(NOTHING, NOTHING);
    }
    var weights = vec2<f32>();
    var terms = vec2<f32>();
    if (KIND == VARIANCE) {
        let left = left_word(bin, turn, 0u, node.bins);
        let right = wide_subtract(own_word(node.search, 0u), left);
        weights = vec2(number(weight_of(left, node.count_bits)), number(weight_of(right, node.count_bits)));
    }
    for (var word = select(0u, 1u, KIND == VARIANCE); word < WORDS; word += 1u) {
        let left = left_word(bin, turn, word, node.bins);
        let right = wide_subtract(own_word(node.search, word), left);
        let parts = vec2(part(left, node.count_bits), part(right, node.count_bits));
        if (KIND != VARIANCE) {
            weights += parts;
        }
        if (KIND == ENTROPY) {
            terms += vec2(information(parts.x), information(parts.y));
        } else {
            terms += parts * parts;
        }
    }
    if (KIND == ENTROPY) {
        let of_sides = vec2(information(weights.x), information(weights.y));
        let score = (terms.x - of_sides.x) + (terms.y - of_sides.y);
        let error = ROUNDING * (terms.x + terms.y + of_sides.x + of_sides.y + weights.x + weights.y);
        return vec2(score - error, score + error);
    }
    let score = terms.x / weights.x + terms.y / weights.y;
    return vec2(score - ROUNDING * score, score + ROUNDING * score);
}

// The logarithm to base 2 as the host computes it.
fn double_log2(x: vec2<u32>) -> vec2<u32> {
    let exponent = i32(wide_add(x, ABOVE_ROOT).y >> 20u) - 1023;
    let mantissa = vec2(x.x, x.y - (bitcast<u32>(exponent) << 20u));
    let s = double_divide(double_subtract(mantissa, ONE), double_add(mantissa, ONE));
    let z = double_multiply(s, s);
    var series = vec2<u32>();
    for (var term = 11u; term > 0u; term -= 1u) {
        series = double_add(double_multiply(series, z), pair(params.reciprocals_first + 2u * (term - 1u)));
    }
    var whole = double_of_integer(vec2(u32(abs(exponent)), 0u));
    if (exponent < 0) {
        whole = double_negative(whole);
    }
    return double_add(whole, double_multiply(TWO_LOG2_E, double_multiply(s, series)));
}

fn double_information(weight: vec2<u32>) -> vec2<u32> {
    if (double_is_zero(weight)) {
        return vec2<u32>();
    }
    return double_multiply(weight, double_log2(weight));
}

fn double_max(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, vec2(double_less(a, b)));
}

// A part of the left side in f64.
fn exact_part(word: vec2<u32>, count_bits: u32) -> vec2<u32> {
    if (KIND != VARIANCE) {
        return double_of_integer(weight_of(word, count_bits));
    }
    let is_negative = word.y >= DOUBLE_SIGN;
    let size = double_of_integer(select(word, wide_subtract(vec2<u32>(), word), vec2(is_negative)));
    return vec2(size.x, size.y | select(0u, DOUBLE_SIGN, is_negative));
}

// The weight of a node in f64.
fn node_weight(search: u32, count_bits: u32) -> vec2<u32> {
    var weight = double_of_integer(weight_of(own_word(search, 0u), count_bits));
    if (KIND != VARIANCE) {
        for (var word = 1u; word < WORDS; word += 1u) {
            weight = double_add(weight, exact_part(own_word(search, word), count_bits));
        }
    }
    return weight;
}

// What a split gains in f64, in the very steps of ClassTarget::gain and ValueTarget::gain.
fn exact_gain(bin: u32, turn: u32, node: Node) -> vec2<u32> {
    let first = left_word(bin, turn, 0u, node.bins);
    var left_weight = double_of_integer(weight_of(first, node.count_bits));
    if (KIND != VARIANCE) {
        for (var word = 1u; word < WORDS; word += 1u) {
            left_weight = double_add(left_weight, exact_part(left_word(bin, turn, word, node.bins), node.count_bits));
        }
    }
    let right_weight = double_subtract(node.weight, left_weight);
    let skipped = select(0u, 1u, KIND == VARIANCE);
    let end = select(WORDS, 1u, KIND == TWO_CLASSES);
    var of_left = vec2<u32>();
    var of_right = vec2<u32>();
    for (var word = skipped; word < end; word += 1u) {
        let left = exact_part(left_word(bin, turn, word, node.bins), node.count_bits);
        let whole = exact_part(own_word(node.search, word), node.count_bits);
        if (KIND == ENTROPY || KIND == MISCLASSIFICATION) {
            let right = double_subtract(whole, left);
            if (KIND == ENTROPY) {
                of_left = double_add(of_left, double_information(left));
                of_right = double_add(of_right, double_information(right));
            } else {
                of_left = double_max(of_left, left);
                of_right = double_max(of_right, right);
            }
        } else {
            let difference = double_subtract(double_multiply(left, node.weight), double_multiply(whole, left_weight));
            of_left = double_add(of_left, double_multiply(difference, difference));
        }
    }
    if (KIND == ENTROPY) {
        of_left = double_subtract(of_left, double_information(left_weight));
        of_right = double_subtract(of_right, double_information(right_weight));
    }
    if (KIND == ENTROPY || KIND == MISCLASSIFICATION) {
        let gain = double_subtract(double_add(of_left, of_right), pair(node.search + 4u + 2u * WORDS));
        return double_max(vec2<u32>(), gain);
    }
    if (KIND == TWO_CLASSES) {
        of_left = double_add(of_left, of_left);
    }
    return double_divide(of_left, double_multiply(node.weight, double_multiply(left_weight, right_weight)));
}

// Whether the first is there, and gains more than the second or is alone.
fn beats(one: vec4<u32>, other: vec4<u32>) -> bool {
    return one.z >= FOUND && (other.z < FOUND || double_less(other.xy, one.xy));
}

// Adds up the cells from the left, word by word. A default bin has no cell and is the rest of the node.
fn add_up(lane: u32, search: u32, all: u32, default_bin: u32) {
    let begin = min(4u * lane, all);
    let end = min(begin + 4u, all);
    for (var word = 0u; word < WORDS; word += 1u) {
        var own = vec2<u32>();
        for (var bin = begin; bin < end; bin += 1u) {
            if (bin != default_bin) {
                own = wide_add(own, cell_of(bin, word));
            }
        }
        lane_best[lane] = vec4(own, 0u, 0u);
        workgroupBarrier();
        var before = vec2<u32>();
        var together = vec2<u32>();
        for (var other = 0u; other < 64u; other += 1u) {
            if (other == lane) {
                before = together;
            }
            together = wide_add(together, lane_best[other].xy);
        }
        let rest = wide_subtract(own_word(search, word), together);
        if (default_bin < begin) {
            before = wide_add(before, rest);
        }
        for (var bin = begin; bin < end; bin += 1u) {
            if (bin == default_bin) {
                before = wide_add(before, rest);
            } else {
                before = wide_add(before, cell_of(bin, word));
            }
            set_sum(bin * WORDS + word, before);
        }
        workgroupBarrier();
    }
}

// The split at the threshold that is drawn for the feature, with `low` and `high` the first and the last bin that have rows. Where
// they are one, what is present is split from what is missing.
fn random_split(low: u32, high: u32, feature: u32, has_missing: bool, node: Node) -> vec4<u32> {
    let place = node.search + 4u + 2u * WORDS + select(0u, 2u, KIND == ENTROPY || KIND == MISCLASSIFICATION);
    let key = vec2(params.key_low, params.key_high);
    let numbers = philox_of(vec4(feature, pair(place), plan[place + 2u]), key);
    var bin = low + multiply(numbers.x, high - low).x;
    var turn = select(0u, numbers.z & 1u, has_missing);
    // The threshold is the one behind the bin.
    var next = bin + 1u;
    if (low == high) {
        bin = node.bins - 1u;
        turn = 0u;
        next = node.bins;
    }
    if (low > high || (low == high && !has_missing) || !allowed(bin, turn, node)) {
        return vec4<u32>();
    }
    return vec4(exact_gain(bin, turn, node), FOUND | bin | select(0u, MISSING_LEFT, turn == 1u), next);
}

// The split of a node by a feature, once its cells are added up; lane 0's is the one. In its last word the next bin with rows.
fn split_of(lane: u32, search: u32, feature: u32, bins: u32, missing_bins: u32) -> vec4<u32> {
    let begin = min(4u * lane, bins + missing_bins);
    let end = min(begin + 4u, bins + missing_bins);
    var has_missing = false;
    if (missing_bins == 1u) {
        for (var word = 0u; word < WORDS; word += 1u) {
            has_missing = has_missing || any(sum_at(bins * WORDS + word) != sum_at((bins - 1u) * WORDS + word));
        }
    }
    let count_bits = count_bits_of(search);
    let node = Node(search, bins, count_bits, plan[search + 1u], node_weight(search, count_bits));
    // The split after the last bin parts present from missing values.
    let last = select(min(end, select(max(bins, 1u) - 1u, bins, has_missing)), begin, RANDOM == 1u);
    let turns = select(1u, 2u, has_missing);
    var least = NOTHING;
    if (KIND != MISCLASSIFICATION) {
        for (var bin = begin; bin < last; bin += 1u) {
            for (var turn = 0u; turn < turns; turn += 1u) {
                least = max(least, bounds_of(bin, turn, node).x);
            }
        }
    }
    lane_bounds[lane] = least;
    workgroupBarrier();
    for (var other = 0u; other < 64u; other += 1u) {
        least = max(least, lane_bounds[other]);
    }
    var best = vec4<u32>();
    for (var bin = begin; bin < last; bin += 1u) {
        for (var turn = 0u; turn < turns; turn += 1u) {
            if (allowed(bin, turn, node) && (KIND == MISCLASSIFICATION || bounds_of(bin, turn, node).y >= least)) {
                let tried = vec4(exact_gain(bin, turn, node), FOUND | bin | select(0u, MISSING_LEFT, turn == 1u), 0u);
                if (beats(tried, best)) {
                    best = tried;
                }
            }
        }
    }
    if (RANDOM == 1u) {
        // The first and the last of the lane's bins that have rows.
        best = vec4(bins, 0u, 0u, 0u);
        for (var bin = begin; bin < min(end, bins); bin += 1u) {
            if (rows_left(bin, 0u, node) != select(0u, rows_left(max(bin, 1u) - 1u, 0u, node), bin > 0u)) {
                best = vec4(min(best.x, bin), bin, 0u, 0u);
            }
        }
    }
    lane_best[lane] = best;
    workgroupBarrier();
    if (lane == 0u) {
        if (RANDOM == 1u) {
            for (var other = 1u; other < 64u; other += 1u) {
                best = vec4(min(best.x, lane_best[other].x), max(best.y, lane_best[other].y), 0u, 0u);
            }
            best = random_split(best.x, best.y, feature, has_missing, node);
        } else {
            // Of equal gains the lowest bin wins.
            var winner = 0u;
            for (var other = 1u; other < 64u; other += 1u) {
                if (beats(lane_best[other], lane_best[winner])) {
                    winner = other;
                }
            }
            best = lane_best[winner];
        }
        let bin = best.z & 0xffffu;
        if (best.z >= FOUND) {
            let rows = rows_left(bin, 0u, node);
            // Where a node has no missing values, those met later go with the larger child.
            if (!has_missing && 2u * rows >= node.rows) {
                best.z |= MISSING_LEFT;
            }
            if (RANDOM == 0u) {
                best.w = bins;
                for (var next = bins - 1u; next > bin; next -= 1u) {
                    if (rows_left(next, 0u, node) != rows) {
                        best.w = next;
                    }
                }
            }
        }
        lane_best[0] = best;
    }
    workgroupBarrier();
    return lane_best[0];
}
