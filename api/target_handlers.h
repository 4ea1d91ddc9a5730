// The endpoints about scraping: /api/v1/targets, /api/v1/targets/metadata,
// /api/v1/targets/relabel_steps, /api/v1/scrape_pools. Quick; safe from any thread. A null scraper
// has no pools.
#pragma once

#include <string>

#include "api/call.h"
#include "scrape/scraper.h"

namespace lockstep::api {

// `hostname` stands for hosts that mean this machine in URLs for others.
Response HandleTargets(const Call& call, const scrape::Scraper* scraper,
                       const std::string& hostname);
Response HandleTargetsMetadata(const Call& call, const scrape::Scraper* scraper);
// What each rule of a pool makes of the labels that a request brings.
Response HandleRelabelSteps(const Call& call, const scrape::Scraper* scraper);
Response HandleScrapePools(const scrape::Scraper* scraper);

}  // namespace lockstep::api
