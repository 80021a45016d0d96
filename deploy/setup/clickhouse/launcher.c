/* Runs the ClickHouse server that is in libchdb: launcher LIBRARY ARGUMENT...
 *
 * The arguments are those of `clickhouse local`. What the server says when it ends comes back as a result, and is
 * printed here. A process of its own, because the library looks for jemalloc's functions by name and would find
 * those of a program that has jemalloc, which hold none of its memory. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("launcher LIBRARY ARGUMENT...\n", stderr);
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void *(*run)(int, char **) = (void *(*)(int, char **))dlsym(library, "chdb_query_cmdline");
    const char *(*error)(void *) = (const char *(*)(void *))dlsym(library, "chdb_result_error");
    if (!run || !error) {
        fprintf(stderr, "%s is not the library that was expected\n", argv[1]);
        return 1;
    }
    argv[1] = "clickhouse";
    void *result = run(argc - 1, argv + 1);
    const char *message = result ? error(result) : "it ended without a result";
    if (message)
        fprintf(stderr, "%s\n", message);
    return message != NULL;
}
