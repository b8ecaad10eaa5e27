mod exclusive_scan;
mod gather_rows;
mod radix_sort;
mod select_smallest;
