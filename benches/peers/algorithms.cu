// The algorithms of `gpu_work` that have no reference shader, by CUB, cuSPARSE, cuBLAS, cuFFT and cuRAND, on the same numbers: a line for
// each with the median time on the device in µs, and one with a weighted sum of the result.
// nvcc -O3 -std=c++17 -arch=native -o algorithms algorithms.cu -lcublas -lcublasLt -lcusparse -lcufft -lcurand && ./algorithms

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include <cub/cub.cuh>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda/std/functional>
#include <cuda_fp16.h>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>
// Older releases of CUB have no merge.
#if __has_include(<cub/device/device_merge.cuh>)
#include <cub/device/device_merge.cuh>
#define HAS_MERGE
#endif

static void check(cudaError_t result, const char *what) {
    if (result != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
        exit(1);
    }
}

/// For the libraries, whose status is zero when all is well.
template <typename Status> static void done(Status status, const char *what) {
    if (int(status) != 0) {
        fprintf(stderr, "%s: status %d\n", what, int(status));
        exit(1);
    }
}

/// Memory of the device.
template <typename T> struct Array {
    T *data = nullptr;
    size_t len;

    explicit Array(size_t len) : len(len) {
        check(cudaMalloc(&data, std::max<size_t>(len, 1) * sizeof(T)), "memory");
        check(cudaMemset(data, 0, std::max<size_t>(len, 1) * sizeof(T)), "memory");
    }
    explicit Array(const std::vector<T> &values) : Array(values.size()) {
        check(cudaMemcpy(data, values.data(), len * sizeof(T), cudaMemcpyHostToDevice), "upload");
    }
    Array(const Array &) = delete;
    ~Array() { cudaFree(data); }

    std::vector<T> read(size_t count) const {
        std::vector<T> values(count);
        check(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "download");
        return values;
    }
};

/// One of the random words that `gpu_work` takes, too.
static uint32_t word(uint64_t place) {
    uint64_t z = (place + 2) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return uint32_t(z ^ z >> 31);
}

/// So many numbers from 0 to 1 from one on, less an offset.
static std::vector<float> floats(size_t first, size_t len, float offset = 0.0f) {
    std::vector<float> values(len);
    for (size_t i = 0; i < len; ++i) values[i] = float(word(first + i) >> 8) / 16777216.0f - offset;
    return values;
}

/// The median of some runs, each of several in a row.
template <typename Run> static double median(const char *name, int times, Run run) {
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
    check(cudaEventDestroy(start), "event");
    check(cudaEventDestroy(stop), "event");
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

static void tell(const char *name, double microseconds) {
    printf("%-48s %12.2f µs\n", name, microseconds);
    fflush(stdout);
}

/// Runs an algorithm of CUB with the work space it asks for.
template <typename Algorithm> static void with_space(const char *name, int times, Algorithm algorithm) {
    size_t bytes = 0;
    check(algorithm(nullptr, bytes), name);
    Array<char> space(std::max<size_t>(bytes, 1));
    tell(name, median(name, times, [&] { check(algorithm(space.data, bytes), name); }));
}

/// The weighted sum of a result.
template <typename T> static void sum(const char *name, const T *data, size_t len) {
    std::vector<T> values(len);
    check(cudaMemcpy(values.data(), data, len * sizeof(T), cudaMemcpyDeviceToHost), name);
    double all = 0.0;
    for (size_t i = 0; i < len; ++i) all += double(1 + i % 1009) * double(values[i]);
    printf("%-48s %.15e sum\n", name, all);
    fflush(stdout);
}

static char name[128];

static void segments_and_runs(int exponent, uint32_t length) {
    const int len = 1 << exponent;
    std::vector<uint32_t> key_of(len), mark_of(len), start_of;
    for (int i = 0; i < len; ++i) {
        mark_of[i] = i == 0 || word(i) % length == 0;
        if (mark_of[i]) start_of.push_back(i);
        key_of[i] = uint32_t(start_of.size());
    }
    start_of.push_back(len);
    const int count = int(start_of.size()) - 1;
    Array<uint32_t> keys(key_of), marks(mark_of), starts(start_of), unique(len), lengths(len), found(1);
    Array<float> x(floats(len, len)), sums(len), selected(len);
    const auto tag = [&](const char *what) { snprintf(name, sizeof name, "%s 2^%d, runs of %u", what, exponent, length); };

    tag("sums by key");
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(space, bytes, keys.data, unique.data, x.data, sums.data, found.data,
                                              cuda::std::plus<>{}, len);
    });
    sum(name, sums.data, found.read(1)[0]);
    tag("sums of segments");
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Sum(space, bytes, x.data, sums.data, count, starts.data, starts.data + 1);
    });
    sum(name, sums.data, count);
    tag("inclusive scan by key");
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceScan::InclusiveSumByKey(space, bytes, keys.data, x.data, sums.data, len);
    });
    sum(name, sums.data, len);
    tag("unique");
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceSelect::Unique(space, bytes, keys.data, unique.data, found.data, len);
    });
    sum(name, unique.data, found.read(1)[0]);
    tag("select");
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceSelect::Flagged(space, bytes, x.data, marks.data, selected.data, found.data, len);
    });
    sum(name, selected.data, found.read(1)[0]);
    tag("run lengths");
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(space, bytes, keys.data, unique.data, lengths.data, found.data, len);
    });
    sum(name, lengths.data, found.read(1)[0]);
}

static void merge(int exponent) {
#ifdef HAS_MERGE
    const int len = 1 << exponent;
    std::vector<uint32_t> left(len), right(len), number(2 * size_t(len));
    for (int i = 0; i < len; ++i) {
        left[i] = word(i);
        right[i] = word(uint64_t(len) + i);
    }
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::iota(number.begin(), number.end(), 0u);
    Array<uint32_t> a(left), b(right), numbers(number), merged(2 * size_t(len)), values(2 * size_t(len));
    snprintf(name, sizeof name, "merge 2^%d + 2^%d", exponent, exponent);
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceMerge::MergeKeys(space, bytes, a.data, len, b.data, len, merged.data);
    });
    sum(name, merged.data, merged.len);
    snprintf(name, sizeof name, "merge by key 2^%d + 2^%d", exponent, exponent);
    with_space(name, 5, [&](void *space, size_t &bytes) {
        return cub::DeviceMerge::MergePairs(space, bytes, a.data, numbers.data, len, b.data, numbers.data + len, len,
                                            merged.data, values.data);
    });
    sum(name, values.data, values.len);
#endif
}

template <typename Length> static void sparse(cusparseHandle_t handle, const char *kind, Length length) {
    const int exponent = 21, rows = 1 << exponent;
    std::vector<uint32_t> start_of(1, 0);
    for (int row = 0; row < rows; ++row) start_of.push_back(start_of[row] + length(row));
    const size_t elements = start_of[rows];
    std::vector<uint32_t> column_of(elements);
    for (size_t i = 0; i < elements; ++i) column_of[i] = word(rows + i) & (rows - 1);
    Array<uint32_t> starts(start_of), columns(column_of);
    Array<float> values(floats(2 * size_t(rows) + elements, elements)), x(floats(0, rows)), y(rows);
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    done(cusparseCreateCsr(&matrix, rows, rows, elements, starts.data, columns.data, values.data, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F), "matrix");
    done(cusparseCreateDnVec(&from, rows, x.data, CUDA_R_32F), "vector");
    done(cusparseCreateDnVec(&to, rows, y.data, CUDA_R_32F), "vector");
    snprintf(name, sizeof name, "sparse product 2^%d, %s", exponent, kind);
    const float alpha = 1.0f, beta = 0.0f;
    // The faster of its two algorithms.
    double least = 0.0;
    for (cusparseSpMVAlg_t algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
        size_t bytes = 0;
        done(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, from, &beta, to, CUDA_R_32F,
                                     algorithm, &bytes), "work space");
        Array<char> space(std::max<size_t>(bytes, 1));
        const double time = median(name, 5, [&] {
            done(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, from, &beta, to, CUDA_R_32F,
                              algorithm, space.data), "product");
        });
        least = least == 0.0 ? time : std::min(least, time);
    }
    tell(name, least);
    sum(name, y.data, rows);
    done(cusparseDestroySpMat(matrix), "matrix");
    done(cusparseDestroyDnVec(from), "vector");
    done(cusparseDestroyDnVec(to), "vector");
}

// Matrices lie row by row, which is the transposed matrix for cuBLAS: factors and sides change places.
static void batched(cublasHandle_t handle) {
    const int side = 512, count = 64;
    const long long apart = side * side;
    const size_t len = size_t(count) * apart;
    const std::vector<float> left = floats(0, len), right = floats(len, len);
    const float alpha = 1.0f, beta = 0.0f;
    Array<float> c(len);
    {
        Array<float> a(left), b(right);
        const struct {
            const char *name;
            cublasOperation_t left, right;
        } kinds[] = {{"f32", CUBLAS_OP_N, CUBLAS_OP_N}, {"f32, a by columns", CUBLAS_OP_T, CUBLAS_OP_N}, {"f32, b by columns", CUBLAS_OP_N, CUBLAS_OP_T}};
        for (const auto &kind : kinds) {
            snprintf(name, sizeof name, "batched gemm %d × %d, %s", count, side, kind.name);
            tell(name, median(name, 3, [&] {
                done(cublasSgemmStridedBatched(handle, kind.right, kind.left, side, side, side, &alpha, b.data, side, apart,
                                               a.data, side, apart, &beta, c.data, side, apart, count), name);
            }));
            sum(name, c.data, len);
        }
    }
    std::vector<__half> left_halves(len), right_halves(len);
    for (size_t i = 0; i < len; ++i) {
        left_halves[i] = __float2half(left[i]);
        right_halves[i] = __float2half(right[i]);
    }
    Array<__half> a(left_halves), b(right_halves);
    snprintf(name, sizeof name, "batched gemm %d × %d, f16, b by columns", count, side);
    tell(name, median(name, 3, [&] {
        done(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, side, side, side, &alpha, b.data, CUDA_R_16F, side,
                                        apart, a.data, CUDA_R_16F, side, apart, &beta, c.data, CUDA_R_32F, side, apart, count,
                                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), name);
    }));
    sum(name, c.data, len);
}

static void layer() {
    const size_t side = 4096;
    Array<float> x(floats(0, side * side, 0.5f)), weights(floats(side * side, side * side, 0.5f));
    Array<float> bias(floats(2 * side * side, side, 0.5f)), y(side * side);
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    done(cublasLtCreate(&handle), "cublasLt");
    done(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "product");
    const cublasOperation_t turned = CUBLAS_OP_T, plain = CUBLAS_OP_N;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    const void *offsets = bias.data;
    done(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned), "transposed");
    done(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &plain, sizeof plain), "plain");
    done(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue), "epilogue");
    done(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &offsets, sizeof offsets), "bias");
    for (cublasLtMatrixLayout_t *layout : {&a, &b, &c}) {
        done(cublasLtMatrixLayoutCreate(layout, CUDA_R_32F, side, side, side), "layout");
    }
    const size_t bytes = size_t(64) << 20;
    Array<char> space(bytes);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    done(cublasLtMatmulPreferenceCreate(&preference), "preference");
    done(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes), "work space");
    done(cublasLtMatmulAlgoGetHeuristic(handle, product, a, b, c, c, preference, 1, &result, &found), "algorithm");
    const float alpha = 1.0f, beta = 0.0f;
    snprintf(name, sizeof name, "layer %zu, bias and relu", side);
    tell(name, median(name, 2, [&] {
        done(cublasLtMatmul(handle, product, &alpha, weights.data, a, x.data, b, &beta, y.data, c, y.data, c, &result.algo,
                            space.data, bytes, nullptr), name);
    }));
    sum(name, y.data, side * side);
    done(cublasLtDestroy(handle), "cublasLt");
}

static void transforms() {
    {
        const int side = 1024, count = 64;
        int sides[] = {side, side};
        const size_t points = size_t(count) * side * side;
        Array<float> x(floats(0, 2 * points, 0.5f)), y(2 * points);
        cufftHandle plan;
        done(cufftPlanMany(&plan, 2, sides, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, count), "plan");
        snprintf(name, sizeof name, "fft %d×%d × %d", side, side, count);
        tell(name, median(name, 3, [&] {
            done(cufftExecC2C(plan, reinterpret_cast<cufftComplex *>(x.data), reinterpret_cast<cufftComplex *>(y.data),
                              CUFFT_FORWARD), name);
        }));
        sum(name, y.data, 2 * points);
        done(cufftDestroy(plan), "plan");
    }
    int len = 1 << 20;
    const int count = 64;
    const size_t results = size_t(count) * (len / 2 + 1);
    Array<float> x(floats(0, size_t(count) * len, 0.5f)), y(2 * results);
    cufftHandle plan;
    done(cufftPlanMany(&plan, 1, &len, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, count), "plan");
    snprintf(name, sizeof name, "real fft 2^20 × %d", count);
    tell(name, median(name, 3, [&] {
        done(cufftExecR2C(plan, x.data, reinterpret_cast<cufftComplex *>(y.data)), name);
    }));
    sum(name, y.data, 2 * results);
    done(cufftDestroy(plan), "plan");
}

// The generator is that of `OpRandom`, the order of the numbers is the library's own.
static void random_numbers() {
    const size_t len = size_t(1) << 28;
    Array<float> x(len);
    curandGenerator_t generator;
    done(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10), "generator");
    done(curandSetPseudoRandomGeneratorSeed(generator, 7), "seed");
    tell("uniform numbers 2^28", median("uniform", 5, [&] { done(curandGenerateUniform(generator, x.data, len), "uniform"); }));
    tell("normal numbers 2^28", median("normal", 5, [&] { done(curandGenerateNormal(generator, x.data, len, 0.0f, 1.0f), "normal"); }));
    done(curandDestroyGenerator(generator), "generator");
}

int main() {
    for (int exponent : {22, 26}) {
        for (uint32_t length : {8u, 1000u}) segments_and_runs(exponent, length);
    }
    for (int exponent : {21, 25}) merge(exponent);
    cusparseHandle_t sparse_handle;
    done(cusparseCreate(&sparse_handle), "cusparse");
    sparse(sparse_handle, "rows of 16", [](int) { return 16u; });
    sparse(sparse_handle, "rows of 1 to 2^16", [](int row) {
        const uint32_t bits = word(row);
        uint32_t zeros = 0;
        while (zeros < 16 && !(bits >> zeros & 1)) ++zeros;
        return 1u << zeros;
    });
    done(cusparseDestroy(sparse_handle), "cusparse");
    cublasHandle_t handle;
    done(cublasCreate(&handle), "cublas");
    batched(handle);
    done(cublasDestroy(handle), "cublas");
    layer();
    transforms();
    random_numbers();
    return 0;
}
