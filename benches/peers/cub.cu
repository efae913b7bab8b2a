// The algorithms of CUB and copies of CUDA, at the sizes of `gpu_work`: a line for each with the median time on the device in µs.
// nvcc -O3 -arch=native -o cub cub.cu && ./cub

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>

static void check(cudaError_t result, const char *what) {
    if (result != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
        exit(1);
    }
}

/// Random words, the same each time.
__global__ void randomize(uint32_t *words, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        words[i] = uint32_t(z ^ z >> 31);
    }
}

/// The upper bits of each word, or one value for all.
__global__ void below_256(uint32_t *words, size_t count, bool is_one) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        words[i] = is_one ? 0x4d : words[i] >> 24;
    }
}

/// The median of some runs, each of several in a row.
template <typename Run> static void measure(const char *name, int times, Run run) {
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start), "event");
    check(cudaEventCreate(&stop), "event");
    std::vector<float> samples;
    for (int round = 0; round < 14; ++round) {
        check(cudaEventRecord(start), "record");
        for (int i = 0; i < times; ++i) run();
        check(cudaEventRecord(stop), "record");
        check(cudaEventSynchronize(stop), name);
        float milliseconds;
        check(cudaEventElapsedTime(&milliseconds, start, stop), "time");
        if (round >= 3) samples.push_back(milliseconds * 1000 / times);
    }
    std::sort(samples.begin(), samples.end());
    printf("%-36s %10.2f µs\n", name, samples[samples.size() / 2]);
}

/// Runs an algorithm of CUB with the work space it asks for.
template <typename Algorithm> static void with_space(const char *name, int times, Algorithm algorithm) {
    size_t bytes = 0;
    check(algorithm(nullptr, bytes), name);
    void *space;
    check(cudaMalloc(&space, bytes), name);
    measure(name, times, [&] { check(algorithm(space, bytes), name); });
    check(cudaFree(space), name);
}

int main() {
    const size_t most = size_t(1) << 30;
    uint32_t *x, *y, *values, *sorted_values, *bins;
    check(cudaMalloc(&x, most), "memory");
    check(cudaMalloc(&y, most), "memory");
    check(cudaMalloc(&values, most), "memory");
    check(cudaMalloc(&sorted_values, most), "memory");
    check(cudaMalloc(&bins, 1024), "memory");
    randomize<<<2048, 256>>>(x, most / 4);
    randomize<<<2048, 256>>>(values, most / 4);
    char name[64];
    measure("copy 2^28", 10, [&] { check(cudaMemcpyAsync(y, x, most, cudaMemcpyDeviceToDevice), "copy"); });
    for (int exponent : {22, 28}) {
        const int count = 1 << exponent;
        snprintf(name, sizeof name, "reduce 2^%d", exponent);
        with_space(name, 10, [&](void *space, size_t &bytes) {
            return cub::DeviceReduce::Sum(space, bytes, reinterpret_cast<float *>(x), reinterpret_cast<float *>(y), count);
        });
        snprintf(name, sizeof name, "scan 2^%d", exponent);
        with_space(name, 10, [&](void *space, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(space, bytes, x, y, count);
        });
    }
    for (int exponent : {24, 28}) {
        const int count = 1 << exponent;
        snprintf(name, sizeof name, "sort 2^%d", exponent);
        with_space(name, 3, [&](void *space, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeys(space, bytes, x, y, count);
        });
        snprintf(name, sizeof name, "sort by key 2^%d", exponent);
        with_space(name, 3, [&](void *space, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(space, bytes, x, y, values, sorted_values, count);
        });
    }
    const char *kinds[] = {"uniform", "one bin"};
    for (int kind = 0; kind < 2; ++kind) {
        if (kind == 1) check(cudaMemset(x, 0x4d, most), "memset");
        snprintf(name, sizeof name, "histogram of bytes 2^30, %s", kinds[kind]);
        with_space(name, 5, [&](void *space, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(space, bytes, reinterpret_cast<uint8_t *>(x),
                                                       reinterpret_cast<int *>(bins), 257, 0, 256, int64_t(most));
        });
    }
    for (int kind = 0; kind < 2; ++kind) {
        if (kind == 0) randomize<<<2048, 256>>>(x, most / 4);
        below_256<<<2048, 256>>>(x, most / 4, kind == 1);
        snprintf(name, sizeof name, "histogram of words 2^28, %s", kinds[kind]);
        with_space(name, 5, [&](void *space, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(space, bytes, x, reinterpret_cast<int *>(bins), 257, 0u, 256u,
                                                       int64_t(most / 4));
        });
    }
    return 0;
}
