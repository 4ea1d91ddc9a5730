// The region and keys for signing requests to EC2.
#pragma once

#include <atomic>

#include "base/status.h"
#include "scrape/config/discovery_config.h"
#include "scrape/http_fetch.h"

namespace lockstep::scrape {

// Takes region and keys from `config`, else from the environment (AWS_REGION; AWS_ACCESS_KEY_ID
// with AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN), else from the metadata service of the instance
// that this process runs on. Blocks for at most 20 seconds; `is_cancelled` ends it. No error
// contains a secret.
absl::StatusOr<AwsSigning> Ec2SigningOf(const Ec2Discovery& config,
                                        const std::atomic<bool>& is_cancelled);

}  // namespace lockstep::scrape
