mod philox;
