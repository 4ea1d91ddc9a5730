// The endpoints for scraping: /api/v1/targets, /api/v1/targets/metadata,
// /api/v1/targets/relabel_steps, /api/v1/scrape_pools. Quick; safe from any thread. A null scraper
// has no pools.
#pragma once

#include <string>

#include "api/http/call.h"
#include "scrape/scraper.h"

namespace lockstep::api {

// In URLs for other machines, `hostname` replaces hosts that mean this machine.
Response HandleTargets(const Call& call, const scrape::Scraper* scraper,
                       const std::string& hostname);
Response HandleTargetsMetadata(const Call& call, const scrape::Scraper* scraper);
// Shows how each rule of a pool changes the labels in the request.
Response HandleRelabelSteps(const Call& call, const scrape::Scraper* scraper);
Response HandleScrapePools(const scrape::Scraper* scraper);

}  // namespace lockstep::api
