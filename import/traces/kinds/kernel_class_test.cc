#include "import/traces/kinds/kernel_class.h"

#include <gtest/gtest.h>

namespace lockstep::traces {
namespace {

struct KernelRow {
  std::string_view kernel;
  std::string_view expected;
};

// Names from profilers: PyTorch 2.11 on an H200, and kernels of other libraries.
TEST(KernelClassTest, KnowsKernelsByTheirNames) {
  for (
      const KernelRow& row : {
          KernelRow{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_"
                    "warpgroupsize1x1x1_execute_segment_"
                    "k_off_kernel__5x_cublas",
                    "gemm"},
          KernelRow{"nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN", "gemm"},
          KernelRow{"void "
                    "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_"
                    "tn_align8>("
                    "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)",
                    "gemm"},
          KernelRow{"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn", "gemm"},
          KernelRow{
              "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>(...)",
              "gemm"},
          KernelRow{"Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x256x64_MI16x16x1", "gemm"},
          KernelRow{"flash_fwd_kernel", "attention"},
          KernelRow{
              "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64>, "
              "true>(...)",
              "attention"},
          KernelRow{
              "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x128_1x4x1",
              "attention"},
          KernelRow{"void "
                    "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
                    "int>>>(int)",
                    "attention"},
          KernelRow{"void cudnn::fusion::compute_dot_do_o_specialized<true, 128>(void const*, void "
                    "const*)",
                    "attention"},
          KernelRow{"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::Params)",
                    "attention"},
          KernelRow{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned "
                    "long)4096>)",
                    "communication"},
          KernelRow{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long)",
                    "communication"},
          KernelRow{"void at::native::(anonymous "
                    "namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, true>"
                    "(int, float, c10::BFloat16 const*)",
                    "normalization"},
          KernelRow{"void at::native::(anonymous "
                    "namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16>(long)",
                    "normalization"},
          KernelRow{"void at::native::(anonymous namespace)::cunn_SoftMaxBackward<4, float, "
                    "float>(float*)",
                    "softmax"},
          KernelRow{
              "void at::native::(anonymous "
              "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
              "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::"
              "FusedAdamMathFunctor<c10::BFloat16, 4>>(int)",
              "optimizer"},
          KernelRow{
              "void at::native::(anonymous "
              "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
              "namespace)::TensorListMetadata<1>, at::native::LpNormFunctor<c10::BFloat16>>(int)",
              "reduction"},
          KernelRow{"void at::native::(anonymous "
                    "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                    "namespace)::TensorListMetadata<2>, at::native::Copy<c10::BFloat16, "
                    "c10::BFloat16>>(int)",
                    "elementwise"},
          KernelRow{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, int>>(int)",
                    "reduction"},
          KernelRow{"void at::native::vectorized_elementwise_kernel<8, "
                    "at::native::BinaryFunctor<float, float, float>,"
                    " std::array<char*, 3ul> >(int)",
                    "elementwise"},
          KernelRow{"triton_poi_fused_add_mul_7", "elementwise"},
          KernelRow{"triton_red_fused__to_copy_sum_3", "reduction"},
          KernelRow{"cast_transpose_dbias_dgelu_kernel", "elementwise"},
          KernelRow{"void at::native::(anonymous "
                    "namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::"
                    "OpaqueType<2u>, unsigned int, 4, 64, 64>(int)",
                    "elementwise"},
          KernelRow{"void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)",
                    "indexing"},
          KernelRow{
              "void "
              "at_cuda_detail::cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<int>(int)",
              "indexing"},
          KernelRow{"[CUDA memcpy Host-to-Device]", "memcpy"},
          KernelRow{"Memcpy HtoD (Pinned -> Device)", "memcpy"},
          KernelRow{"[CUDA memset]", "memset"},
          KernelRow{"my_own_kernel", "other"},
          // Template arguments that name another kind of work do not count.
          KernelRow{"void my_frame<gemm_traits, flash>(softmax)", "other"},
          KernelRow{"", "other"},
      }) {
    EXPECT_EQ(NameOf(ClassOfKernel(row.kernel)), row.expected) << row.kernel;
  }
}

TEST(KernelClassTest, FindsTheFunction) {
  for (const KernelRow& row : {
           KernelRow{"void at::native::(anonymous namespace)::f<int, 3>(int)",
                     "at::native::(anonymous namespace)::f"},
           KernelRow{"f(int)", "f"},
           KernelRow{"f", "f"},
           KernelRow{"void (anonymous namespace)::f<g(int)>", "(anonymous namespace)::f"},
           KernelRow{"", ""},
       }) {
    EXPECT_EQ(FunctionOf(row.kernel), row.expected);
  }
}

struct CollectiveRow {
  std::string_view written;
  std::string_view kernel;
  std::string_view expected;
};

TEST(KernelClassTest, FindsTheCollective) {
  for (const CollectiveRow& row : {
           CollectiveRow{"allreduce", "", "all_reduce"},
           CollectiveRow{"_allgather_base", "", "all_gather"},
           CollectiveRow{"_reduce_scatter_base", "", "reduce_scatter"},
           CollectiveRow{"reduce_scatter_tensor_coalesced", "", "reduce_scatter"},
           CollectiveRow{"all_to_allv", "ncclDevKernel_SendRecv(int)", "all_to_all"},
           CollectiveRow{"send", "ncclDevKernel_SendRecv(int)", "send_recv"},
           CollectiveRow{"barrier", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", "barrier"},
           CollectiveRow{"", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(int)", "all_reduce"},
           CollectiveRow{"", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(int)", "reduce_scatter"},
           CollectiveRow{"", "ncclKernel_AllGather_RING_LL_Sum_int8_t(int)", "all_gather"},
           CollectiveRow{"", "ncclKernel_Broadcast_RING_LL_Sum_int8_t(int)", "broadcast"},
           CollectiveRow{"", "ncclDevKernel_Reduce_Sum_f32_RING_LL(int)", "reduce"},
           CollectiveRow{"", "ncclDevKernel_SendRecv(int)", "send_recv"},
           CollectiveRow{"", "ncclDevKernel_Generic(int)", "other"},
           CollectiveRow{"unheard of", "ncclDevKernel_AllGather_RING_LL(int)", "all_gather"},
       }) {
    EXPECT_EQ(CollectiveOf(row.written, row.kernel), row.expected) << row.written << row.kernel;
  }
}

}  // namespace
}  // namespace lockstep::traces
