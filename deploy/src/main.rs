//! The binary: everything is in the library, so that the tests run the same program.

/// Unprefixed, so that librdkafka allocates from it too: 1.8 times the records a second of the system's.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    arb::main()
}
