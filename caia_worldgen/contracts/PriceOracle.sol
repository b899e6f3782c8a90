// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// US dollar prices of whole tokens with eight decimals, as its owner posts them.
contract PriceOracle is Ownable {
    struct Quote {
        uint192 priceE8;
        uint64 at;
    }

    mapping(address => Quote) private _quotes;

    event Posted(address indexed token, uint256 priceE8, uint256 at);

    error NoPrice(address token);

    constructor(address owner_) Ownable(owner_) {}

    function post(address token, uint192 priceE8) external onlyOwner {
        if (priceE8 == 0) revert NoPrice(token);
        _quotes[token] = Quote(priceE8, uint64(block.timestamp));
        emit Posted(token, priceE8, block.timestamp);
    }

    function price(address token) external view returns (uint256) {
        uint256 found = _quotes[token].priceE8;
        if (found == 0) revert NoPrice(token);
        return found;
    }

    /// Seconds since 1970 of the last price, 0 before the first.
    function updatedAt(address token) external view returns (uint256) {
        return _quotes[token].at;
    }
}
