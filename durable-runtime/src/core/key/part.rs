//! What can stand in a hole of a key.

use std::fmt;

use uuid::Uuid;

/// A type whose value can stand in a key: the same text for the same thing, for ever.
///
/// Implemented for integers, `bool`, `char`, strings, network addresses and [`Uuid`], and with the features `chrono`,
/// `jiff` and `time` for the civil dates of these crates. Floats, instants and `Debug` output are not: two processes may
/// write them differently, and a key that changes is an effect that happens twice.
///
/// # Examples
///
/// A type of your own says which text names it:
///
/// ```
/// use std::fmt::{Result, Write};
/// use durable_runtime::KeyPart;
///
/// struct OrderId(u64);
///
/// impl KeyPart for OrderId {
///     fn write_part(&self, out: &mut dyn Write) -> Result {
///         self.0.write_part(out)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a key",
    label = "this value has no one text that stays the same",
    note = "a key is made of integers, `bool`, `char`, strings and ids: put one of those into the hole",
    note = "of a time, take the civil date, such as `chrono::NaiveDate` (feature `chrono`), `jiff::civil::Date` (`jiff`) or `time::Date` (`time`)",
    note = "for a type of your own, write `impl KeyPart`"
)]
pub trait KeyPart {
    /// Writes the value as text. It is escaped afterwards.
    ///
    /// # Errors
    ///
    /// Fails only if `out` does.
    fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// A type whose values stay apart in any format that a key may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no format in a key",
    label = "padding could give two values one text",
    note = "write the hole without what stands behind its `:`; whole numbers alone may have a format, `{{id:03}}`"
)]
pub trait FormattedPart: KeyPart {}

macro_rules! displayed {
    ($($type:ty)*) => {
        $(#[diagnostic::do_not_recommend]
        impl KeyPart for $type {
            fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                write!(out, "{self}")
            }
        })*
    };
}

macro_rules! formatted {
    ($($type:ty)*) => {
        displayed!($($type)*);
        $(#[diagnostic::do_not_recommend]
        impl FormattedPart for $type {})*
    };
}

formatted!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
formatted!(std::num::NonZeroU8 std::num::NonZeroU16 std::num::NonZeroU32 std::num::NonZeroU64);
displayed!(bool char str String Uuid);
displayed!(std::net::IpAddr std::net::Ipv4Addr std::net::Ipv6Addr);

macro_rules! pointed {
    ($($type:ty)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<K: KeyPart + ?Sized> KeyPart for $type {
            fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                (**self).write_part(out)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<K: FormattedPart + ?Sized> FormattedPart for $type {})*
    };
}

pointed!(&K &mut K Box<K> std::rc::Rc<K> std::sync::Arc<K>);

#[diagnostic::do_not_recommend]
impl<K: KeyPart + ToOwned + ?Sized> KeyPart for std::borrow::Cow<'_, K> {
    fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        (**self).write_part(out)
    }
}

/// A day of the calendar, `2026-09-13`: written here, so that no release of another crate changes a key.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
fn civil(out: &mut dyn fmt::Write, year: i32, month: u32, day: u32) -> fmt::Result {
    write!(out, "{year:04}-{month:02}-{day:02}")
}

#[cfg(feature = "chrono")]
#[diagnostic::do_not_recommend]
impl KeyPart for chrono::NaiveDate {
    fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        use chrono::Datelike;
        civil(out, self.year(), self.month(), self.day())
    }
}

#[cfg(feature = "jiff")]
#[diagnostic::do_not_recommend]
impl KeyPart for jiff::civil::Date {
    fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        civil(out, self.year().into(), self.month().unsigned_abs().into(), self.day().unsigned_abs().into())
    }
}

#[cfg(feature = "time")]
#[diagnostic::do_not_recommend]
impl KeyPart for time::Date {
    fn write_part(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        civil(out, self.year(), u8::from(self.month()).into(), self.day().into())
    }
}
