// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Each transfer sends `feeBps` of its amount, rounded down, to the treasury.
/// The treasury's own transfers, minting and burning are free; the first holder owns the rate.
contract TaxToken is ERC20, Ownable {
    address public immutable treasury;
    uint256 public feeBps;

    event FeeSet(uint256 feeBps);

    error FeeTooHigh();

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address treasury_,
        uint256 feeBps_
    ) ERC20(name_, symbol_) Ownable(holder) {
        treasury = treasury_;
        _setFee(feeBps_);
        _mint(holder, supply);
    }

    function setFee(uint256 feeBps_) external onlyOwner {
        _setFee(feeBps_);
    }

    function _setFee(uint256 feeBps_) private {
        if (feeBps_ > 10_000) revert FeeTooHigh();
        feeBps = feeBps_;
        emit FeeSet(feeBps_);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = 0;
        if (from != address(0) && to != address(0) && from != treasury && to != treasury) {
            fee = (value * feeBps) / 10_000;
        }
        if (fee > 0) super._update(from, treasury, fee);
        super._update(from, to, value - fee);
    }
}
