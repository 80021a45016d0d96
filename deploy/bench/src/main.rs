//! The binary: everything is in the library, so that the tests run the same program.

/// The one that `arb` has: what is measured is what runs.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    arb_bench::main()
}
