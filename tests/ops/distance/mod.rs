mod sq_euclidean;
