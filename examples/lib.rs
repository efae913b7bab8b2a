//! Holds nothing: the programs are the examples beside this file. They are a package of their own so that what they need for
//! photos, charts and progress is not compiled for `quickstart`, which needs none of it.
