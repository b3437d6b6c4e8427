use super::*;

const STATUS: &str = "Name:\tworker\nUmask:\t0022\nUid:\t1000\t1001\t1000\t1001\nGid:\t0\t0\t0\t0\n";

#[test]
fn the_user_is_the_one_as_whom_the_process_acts() {
    assert_eq!(user(STATUS), Some(1001));
    assert_eq!(user(""), None);
}

#[test]
fn what_others_may_only_read_they_have_not_changed() {
    for (mode, is_writable) in [(0o644, false), (0o755, false), (0o660, true), (0o602, true), (0o777, true)] {
        let exposed = Exposed { name: JOURNAL, mode };
        assert_eq!((exposed.is_writable(), exposed.what().contains("may have")), (is_writable, is_writable));
    }
    assert_eq!(Exposed { name: JOURNAL, mode: 0o666 }.what(), "others may write to it, and may have (mode 0666)");
    assert_eq!(Exposed { name: JOURNAL, mode: 0o640 }.what(), "others may read it (mode 0640)");
}
