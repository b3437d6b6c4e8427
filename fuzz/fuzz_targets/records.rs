#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    durable_tests::hostile::try_it("records", bytes);
});
