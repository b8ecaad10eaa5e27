mod bellman;
