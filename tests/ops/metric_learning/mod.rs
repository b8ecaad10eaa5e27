mod pair_gradient;
