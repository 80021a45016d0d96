//! The binary: everything is in the library, so that the tests run the same program.

/// The allocator of `arb`: the measured program is the one that runs in production.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    arb_bench::main()
}
