mod expectation;
