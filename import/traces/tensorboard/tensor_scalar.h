// Decodes a TensorProto with one element, which is how TensorFlow 2 and newer writers store
// scalars. Pure function.
//
// Source: tensorflow/tensorflow, core/framework/tensor.proto, types.proto and tensor_shape.proto.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::traces {

// Nothing unless the tensor has exactly one numeric element. Elements are in tensor_content or in
// the field of their type; 16-bit floats are supported, complex numbers are not. Throws
// protozero::exception if the message is malformed.
std::optional<double> ReadTensorScalar(std::string_view tensor_proto);

}  // namespace lockstep::traces
