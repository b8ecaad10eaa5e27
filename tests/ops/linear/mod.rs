mod margin_gradient;
