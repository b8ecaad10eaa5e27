mod nearest;
mod within;
