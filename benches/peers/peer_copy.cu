// Copies of CUDA from the first GPU to the second, at the sizes of `several_gpus`: a line for each with the median time in µs, as the
// host sees it. `direct` lets one GPU reach the other's memory where the machine can; `staged` never does, so the driver goes through the
// host's memory.
// nvcc -O3 -arch=native -o peer_copy peer_copy.cu && ./peer_copy direct > CUDA.txt && ./peer_copy staged > "CUDA staged.txt"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t result, const char *what) {
    if (result != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
        exit(1);
    }
}

int main(int count, char **arguments) {
    bool direct = count == 2 && strcmp(arguments[1], "direct") == 0;
    if (!direct && !(count == 2 && strcmp(arguments[1], "staged") == 0)) {
        fprintf(stderr, "usage: peer_copy direct|staged\n");
        return 1;
    }
    int reaches = 0;
    check(cudaDeviceCanAccessPeer(&reaches, 0, 1), "second GPU");
    if (direct) {
        if (!reaches) {
            fprintf(stderr, "no GPU reaches the memory of the other\n");
            return 1;
        }
        check(cudaSetDevice(0), "device 0");
        check(cudaDeviceEnablePeerAccess(1, 0), "access");
        check(cudaSetDevice(1), "device 1");
        check(cudaDeviceEnablePeerAccess(0, 0), "access");
    }
    for (size_t mib : {1, 16, 256, 1024}) {
        size_t bytes = mib << 20;
        void *from, *to;
        check(cudaSetDevice(0), "device 0");
        check(cudaMalloc(&from, bytes), "memory");
        check(cudaMemset(from, 1, bytes), "fill");
        check(cudaDeviceSynchronize(), "fill");
        check(cudaSetDevice(1), "device 1");
        check(cudaMalloc(&to, bytes), "memory");
        std::vector<double> samples;
        for (int round = 0; round < 14; ++round) {
            auto start = std::chrono::steady_clock::now();
            check(cudaMemcpyPeerAsync(to, 1, from, 0, bytes, 0), "copy");
            check(cudaStreamSynchronize(0), "copy");
            std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
            if (round >= 3) samples.push_back(time.count());
        }
        std::sort(samples.begin(), samples.end());
        printf("copy %zu MiB %10.2f µs\n", mib, samples[samples.size() / 2]);
        check(cudaFree(to), "memory");
        check(cudaSetDevice(0), "device 0");
        check(cudaFree(from), "memory");
    }
    return 0;
}
