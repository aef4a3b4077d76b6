// A worker that ends before it can be told anything.
process.exit(0);
