/// A [`NonZero`](core::num::NonZero) from a constant expression, checked while compiling.
///
/// The width comes from where the value is used.
///
/// # Examples
///
/// ```
/// use std::num::{NonZeroU32, NonZeroUsize};
/// use ruststream_core::nonzero;
///
/// let size: NonZeroUsize = nonzero!(64);
/// let attempts: NonZeroU32 = nonzero!(2 + 3);
/// assert_eq!((size.get(), attempts.get(), nonzero!(3u8).get()), (64, 5, 3));
/// ```
///
/// Zero does not compile:
///
/// ```compile_fail,E0080
/// use ruststream_core::nonzero;
///
/// let size: std::num::NonZeroUsize = nonzero!(0);
/// ```
#[macro_export]
macro_rules! nonzero {
    ($value:expr) => {
        const {
            match ::core::num::NonZero::new($value) {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => {
                    ::core::panic!("`nonzero!` needs a value other than zero")
                }
            }
        }
    };
}
