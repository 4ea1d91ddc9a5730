// The number in a TensorProto of one element: how TensorFlow 2 and newer writers store scalars. Pure function.
//
// Source: tensorflow/tensorflow, core/framework/tensor.proto, types.proto and tensor_shape.proto.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::traces {

// Nothing if the tensor has more or less than one element, or none that is a number. Elements stand in
// tensor_content or in the field of their type; floats of 16 bits count, complex numbers do not.
// Throws protozero::exception where the message is malformed.
std::optional<double> ReadTensorScalar(std::string_view tensor_proto);

}  // namespace lockstep::traces
