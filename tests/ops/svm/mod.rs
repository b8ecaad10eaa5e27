mod working_set;
